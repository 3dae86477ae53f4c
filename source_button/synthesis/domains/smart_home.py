"""Devices, energy and security of a home."""

from __future__ import annotations

from source_button.synthesis import fields as f
from source_button.synthesis.model import (
    Domain,
    Entity,
    every,
    gives,
    ref,
    slot,
    step,
    tool,
    total,
)

_ROOMS = ("living room", "bedroom", "kitchen", "study", "hallway", "nursery", "garage")

DOMAIN = Domain(
    name="smart_home",
    openings=(
        "We're leaving for the weekend.",
        "It's far too warm in here at night.",
        "Our electricity bill was shocking.",
        "I just installed a few new devices.",
    ),
    slots={"room": f.unique("Room", *_ROOMS), "rooms": f.unique("Room", *_ROOMS)},
    tools=(
        tool(
            "list_devices",
            "List the devices of a room.",
            {
                "room": f.unique("Room", *_ROOMS),
                "kind": f.opt(f.enum("Kind of device", "light", "thermostat", "camera", "plug")),
            },
            devices=f.rows(
                "Devices",
                f.record(
                    "A device",
                    device_id=f.code("Device id", "dev_", 6),
                    label=f.unique(
                        "Label",
                        "ceiling lamp",
                        "floor heater",
                        "window sensor",
                        "reading light",
                        "fan",
                        "blind motor",
                        "air purifier",
                        "corner camera",
                        "smart plug",
                    ),
                    power_watts=f.number("Present power in watts", 3.2, 880.9),
                    ip_address=f.ip(),
                ),
            ),
        ),
        tool(
            "list_scenes",
            "List the scenes of a room.",
            {"room": f.unique("Room", *_ROOMS)},
            scene_id=f.code("Scene id", "scn_", 6),
            active=f.boolean("Whether it is on"),
        ),
        tool(
            "read_sensor",
            "Read temperature and humidity of a room.",
            {"room": f.unique("Room", *_ROOMS)},
            room=f.echo("room"),
            temperature_c=f.number("Temperature in °C", 16.11, 28.89, 2),
            humidity_percent=f.number("Humidity in percent", 31.2, 69.8, 1, minimum=0, maximum=100),
            thermostat_id=f.code("Thermostat of the room", "thr_", 6),
        ),
        tool(
            "read_meter",
            "Read the electricity meter of a room's circuit.",
            {"room": f.unique("Room", *_ROOMS)},
            meter_kwh=f.number("Reading in kWh", 811.2, 9880.4, 2),
            circuit_id=f.ident("Circuit", "CIR", 3),
        ),
        tool(
            "set_thermostat",
            "Set the target temperature of a thermostat.",
            {
                "thermostat_id": f.code("Thermostat id", "thr_", 6),
                "target_c": f.number("Target in °C", 17, 23, 0, minimum=5, maximum=30),
                "until": f.opt(f.clock("End time, HH:MM", 18, 23)),
            },
            change_id=f.code("Id of the change", "chg_", 8),
            reached_at=f.moment("When it is reached", 0, 1),
        ),
        tool(
            "set_humidifier",
            "Set the target humidity of a room's humidifier.",
            {
                "thermostat_id": f.code("Climate unit", "thr_", 6),
                "target_percent": f.percent("Target in percent", 40, 60),
            },
            change_id=f.code("Id of the change", "chg_", 8),
        ),
        tool(
            "get_device_status",
            "Get firmware and battery of a device.",
            {"device_id": f.code("Device id", "dev_", 6)},
            device_id=f.echo("device_id"),
            firmware=f.template(
                "Firmware", lambda s: f"{s.whole(2, 6)}.{s.whole(10, 49)}.{s.whole(1, 9)}"
            ),
            battery_percent=f.percent("Battery", 14, 97),
            update_url=f.url("Newest firmware", "https://fw.example.com/pkg/{}.bin"),
        ),
        tool(
            "get_device_history",
            "Get the switching history of a device.",
            {
                "device_id": f.code("Device id", "dev_", 6),
                "days": f.opt(f.count("Days back", 3, 14, 90)),
            },
            switches=f.integer("How often it was switched", 11, 240),
            last_switched=f.moment("Last time", 0, 1),
        ),
        tool(
            "update_firmware",
            "Update the firmware of a device from a URL.",
            {
                "device_id": f.code("Device id", "dev_", 6),
                "package_url": f.url("Firmware package", "https://fw.example.com/{}"),
                "backup_path": f.opt(
                    f.file_path(
                        "Where the settings are saved",
                        "/backup/dev-{}.json",
                        "/home/backup-{}.json",
                    )
                ),
            },
            job_id=f.code("Job id", "job_", 8),
            finished_at=f.moment("When it is done", 0, 1),
        ),
        tool(
            "turn_off_device",
            "Switch a device off.",
            {
                "device_id": f.code("Device id", "dev_", 6),
                "delay_minutes": f.opt(f.count("Delay in minutes", 5, 45, 720)),
            },
            confirmation=f.code("Confirmation", "off_", 8),
            saved_watts=f.calc(
                {"type": "number", "description": "Power saved in watts"},
                lambda s: round(
                    f.known(s, "device.power_watts", 80.0) * (0.95 + 0.04 * s.random()), 2
                ),
            ),
        ),
        tool(
            "create_schedule",
            "Switch a device on and off at fixed times.",
            {
                "device_id": f.code("Device id", "dev_", 6),
                "on_time": f.clock("On, HH:MM", 6, 9),
                "off_time": f.clock("Off, HH:MM", 20, 23),
                "weekdays": f.opt(
                    f.list_of("Days", f.enum("Day", "mon", "tue", "wed", "thu", "fri"))
                ),
            },
            schedule_id=f.ident("Schedule id", "SCD", 5),
            first_run=f.moment("First time", 1, 3),
        ),
        tool(
            "get_energy_usage",
            "Get the energy that a device used between two days.",
            {
                "device_id": f.code("Device id", "dev_", 6),
                "start_date": f.past_date("First day, YYYY-MM-DD", 20, 40),
                "end_date": f.past_date("Last day, YYYY-MM-DD", 1, 9),
            },
            device_id=f.echo("device_id"),
            kwh=f.number("Energy in kWh", 4.11, 148.79, 2),
            cost=f.price("Cost in US dollars", 2, 48),
        ),
        tool(
            "forecast_energy_bill",
            "Forecast the bill from devices' usage.",
            {
                "usages": f.array_of("Usage of devices", f.record("Usage")),
                "total_kwh": f.number("Sum in kWh", 10, 500, 2, minimum=0),
            },
            forecast_id=f.ident("Forecast id", "EFC"),
            monthly_bill=f.price("Expected bill in US dollars", 41, 230),
            due_on=f.date("Day on which it is due", 8, 30),
        ),
        tool(
            "arm_camera",
            "Arm a camera by its address.",
            {"ip_address": f.ip(), "sensitivity": f.enum("Sensitivity", "low", "medium", "high")},
            arming_id=f.code("Arming id", "arm_", 8),
            stream_url=f.url("Live picture", "https://cam.example.com/live/{}"),
        ),
    ),
    entities=(
        Entity(
            "device", ("{label} ({device_id}, {power_watts} W)",), noun="most power-hungry device"
        ),
        Entity(
            "climate", ("{temperature_c} °C at {humidity_percent}% humidity",), noun="room climate"
        ),
        Entity(
            "heating",
            ("thermostat change {change_id}",),
            None,
            None,
            "thermostat change",
            "moment when it is warm",
        ),
        Entity(
            "device_state", ("firmware {firmware}, newest at {update_url}",), noun="device's state"
        ),
        Entity("update", ("update job {job_id}",), None, None, "update"),
        Entity("switched", ("{saved_watts} W saved ({confirmation})",), noun="switch-off"),
        Entity(
            "schedule",
            ("schedule {schedule_id}, first at {first_run}",),
            None,
            "first_run",
            "schedule",
            "first run of the schedule",
        ),
        Entity("usage", ("{kwh} kWh for ${cost}",), "cost", noun="energy use"),
        Entity(
            "bill",
            ("an expected bill of ${monthly_bill} ({forecast_id})",),
            "monthly_bill",
            "due_on",
            "expected bill",
            "day the bill is due",
        ),
        Entity("camera", ("the live picture {stream_url}",), noun="camera"),
        Entity("scene", ("scene {scene_id}",), noun="scene"),
        Entity("meter", ("{meter_kwh} kWh on meter {circuit_id}",), noun="meter reading"),
        Entity("humidity_change", ("humidity change {change_id}",), noun="humidity change"),
    ),
    twins=(
        ("list_devices", "list_scenes"),
        ("read_sensor", "read_meter"),
        ("set_thermostat", "set_humidifier"),
        ("get_device_status", "get_device_history"),
        ("turn_off_device", "create_schedule"),
    ),
    steps=(
        step(
            "list_devices",
            ("list the devices in the {room}", "see which devices are in the {room}"),
            ("{label} draws the most power ({power_watts} W).",),
            gives("device", "/devices/*", "max power_watts"),
            weight=2,
        ),
        step(
            "read_sensor",
            ("read temperature and humidity in the {room}",),
            ("The {room} has {temperature_c} °C.",),
            gives("climate"),
            weight=1.2,
        ),
        step(
            "read_sensor",
            ("compare temperatures in the {rooms}",),
            ("The {room} has {temperature_c} °C.",),
            gives("climate", "", "max temperature_c"),
            fan="rooms",
            room=slot("rooms"),
            weight=1.4,
        ),
        step(
            "set_thermostat",
            (
                "set the thermostat there to {target_c} degrees[ until {until}]",
                "bring it to {target_c} degrees there[ until {until}]",
            ),
            ("The target is set and reached at {reached_at}.",),
            gives("heating"),
            thermostat_id=ref("climate.thermostat_id"),
            weight=1.6,
        ),
        step(
            "get_device_status",
            ("check the firmware of the device that draws the most",),
            ("It runs {firmware}; the newest is at {update_url}.",),
            gives("device_state"),
            device_id=ref("device.device_id"),
            weight=1.3,
        ),
        step(
            "get_device_history",
            ("see how often the one that draws the most was switched[ in the last {days} days]",),
            ("It was switched {switches} times, last at {last_switched}.",),
            device_id=ref("device.device_id"),
            weight=0.8,
            reads="device",
        ),
        step(
            "update_firmware",
            ("update it to the newest firmware[ with a backup in {backup_path}]",),
            ("Job {job_id} is done at {finished_at}.",),
            gives("update"),
            device_id=ref("device.device_id"),
            package_url=ref("device_state.update_url"),
            changes="device",
            weight=1.6,
        ),
        step(
            "turn_off_device",
            ("switch the most power-hungry one off[ after {delay_minutes} minutes]",),
            ("That saves {saved_watts} W.",),
            gives("switched"),
            device_id=ref("device.device_id"),
            weight=1.2,
            changes="device",
        ),
        step(
            "create_schedule",
            ("let it run only from {on_time} to {off_time}",),
            ("Schedule {schedule_id} starts at {first_run}.",),
            gives("schedule"),
            device_id=ref("device.device_id"),
            changes="device",
        ),
        step(
            "get_energy_usage",
            ("get what the {lanes} most power-hungry ones used from {start_date} to {end_date}",),
            ("{device_id} used {kwh} kWh for ${cost}.",),
            gives("usage", "", "max kwh"),
            each="device",
            device_id=ref("device.device_id"),
            weight=1.5,
        ),
        step(
            "forecast_energy_bill",
            ("forecast the next bill from that",),
            ("The bill will be about ${monthly_bill}, due on {due_on}.",),
            gives("bill"),
            usages=every("usage"),
            total_kwh=total("usage.kwh"),
            weight=2.5,
        ),
        step(
            "arm_camera",
            ("arm the camera behind it with {sensitivity} sensitivity",),
            ("It is armed, the picture is at {stream_url}.",),
            gives("camera"),
            ip_address=ref("device.ip_address"),
            weight=0.8,
        ),
        step(
            "list_scenes",
            ("list the scenes of the {room}", "see which scenes the {room} has"),
            ("Scene {scene_id} is there.",),
            gives("scene"),
            weight=2,
        ),
        step(
            "read_meter",
            ("read the electricity meter of the {room}",),
            ("The meter {circuit_id} shows {meter_kwh} kWh.",),
            gives("meter"),
            weight=1.2,
        ),
        step(
            "read_meter",
            ("compare the electricity meters of the {rooms}",),
            ("Meter {circuit_id} shows {meter_kwh} kWh.",),
            gives("meter", "", "max meter_kwh"),
            fan="rooms",
            room=slot("rooms"),
            weight=1.2,
        ),
        step(
            "set_humidifier",
            ("set the humidifier there to {target_percent} humidity",),
            ("The humidity is set ({change_id}).",),
            gives("humidity_change"),
            thermostat_id=ref("climate.thermostat_id"),
            weight=1.6,
        ),
    ),
)
