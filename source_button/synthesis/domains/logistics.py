"""Freight: quotes, shipments, customs and warehouses."""

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

_QUOTE = f.record(
    "A freight quote",
    quote_id=f.ident("Quote id", "FQT"),
    carrier=f.company("Carrier"),
    cost=f.price("Cost in US dollars", 210, 4200),
    transit_days=f.integer("Days on the way", 3, 31),
    departs_on=f.date("Day of departure", 3, 15),
)

DOMAIN = Domain(
    name="logistics",
    openings=(
        "We have goods to move before the quarter ends.",
        "Our usual forwarder let us down.",
        "A customer has been asking where their goods are.",
        "I run the dispatch desk and today is busy.",
    ),
    slots={
        "consignee": f.company("Consignee"),
        "contact_email": f.email("Contact at the consignee"),
        "pickup_address": f.address("Where the goods are collected"),
        "warehouse": f.unique("Warehouse code", "RTM-1", "MEM-2", "HAM-4", "SIN-3", "LEI-7"),
        "warehouses": f.unique("Warehouse code", "RTM-1", "MEM-2", "HAM-4", "SIN-3", "LEI-7"),
    },
    facts={
        "pickup_address": (
            "The goods stand at {pickup_address}.",
            "Collection is at {pickup_address}.",
        ),
        "consignee": ("The goods are for {consignee}.", "The consignee is {consignee}."),
    },
    tools=(
        tool(
            "get_freight_quotes",
            "Get quotes of carriers for a load between two cities.",
            {
                "origin_city": f.city("Where it starts"),
                "destination_city": f.city("Where it goes"),
                "weight_kg": f.integer("Weight in kilograms", 120, 9800),
                "mode": f.opt(f.enum("Mode of transport", "road", "rail", "sea", "air")),
                "dimensions_cm": f.opt(
                    f.record(
                        "Size of the load",
                        length=f.integer("Length in cm", 60, 240),
                        width=f.integer("Width in cm", 60, 120),
                        height=f.integer("Height in cm", 40, 200),
                    )
                ),
            },
            quotes=f.rows("Quotes", _QUOTE),
        ),
        tool(
            "get_freight_rates",
            "Get the general price list for a lane.",
            {
                "origin_city": f.city("Where it starts"),
                "destination_city": f.city("Where it goes"),
                "mode": f.opt(f.enum("Mode of transport", "road", "rail", "sea", "air")),
            },
            rate_per_kg=f.price("Rate per kilogram in US dollars", 1, 9),
            valid_until=f.date("Last day", 10, 40),
        ),
        tool(
            "book_shipment",
            "Book a freight quote.",
            {
                "quote_id": f.ident("Quote id", "FQT"),
                "consignee": f.company("Who receives the goods"),
                "incoterm": f.opt(f.enum("Terms of delivery", "EXW", "FCA", "DAP", "DDP")),
            },
            shipment_id=f.ident("Shipment id", "SHP", 7),
            waybill_path=f.file_path("Waybill", "/waybills/{}.pdf"),
            loading_at=f.moment("When it is loaded", 2, 8),
        ),
        tool(
            "reserve_capacity",
            "Reserve space with a carrier without booking.",
            {
                "quote_id": f.ident("Quote id", "FQT"),
                "consignee": f.opt(f.company("Who receives the goods")),
            },
            reservation_code=f.ident("Reservation code", "CAP"),
            lapses_at=f.moment("When it lapses", 1, 3),
        ),
        tool(
            "schedule_collection",
            "Send a lorry to collect a shipment.",
            {
                "shipment_id": f.ident("Shipment id", "SHP", 7),
                "pickup_address": f.address("Where the goods are collected"),
                "collection_date": f.date("Day, YYYY-MM-DD", 2, 9),
            },
            collection_id=f.ident("Collection id", "COL"),
            driver_phone=f.phone("Driver's phone"),
            truck_plate=f.template(
                "Number plate",
                lambda s: (
                    f"{s.pick('BHKM')}-{s.pick('ADLT')}{s.pick('EKNR')} {s.whole(1200, 9800)}"
                ),
            ),
        ),
        tool(
            "get_shipment_status",
            "Get the present state of a shipment.",
            {"shipment_id": f.ident("Shipment id", "SHP", 7)},
            shipment_id=f.echo("shipment_id"),
            status=f.enum("Status", "loaded", "in transit", "at customs"),
            position=f.record("Where it is", latitude=f.latitude(), longitude=f.longitude()),
            container_number=f.ident("Container", "MSCU", 7),
            eta=f.moment("Estimated arrival", 4, 30),
        ),
        tool(
            "get_shipment_documents",
            "List the documents of a shipment.",
            {"shipment_id": f.ident("Shipment id", "SHP", 7)},
            invoice_path=f.file_path("Commercial invoice", "/docs/ci-{}.pdf"),
            packing_list_path=f.file_path("Packing list", "/docs/pl-{}.pdf"),
        ),
        tool(
            "find_nearest_port",
            "Find the port nearest to a position.",
            {
                "position": f.record("A position", latitude=f.latitude(), longitude=f.longitude()),
                "max_km": f.opt(f.integer("Farthest distance in km", 100, 900)),
            },
            port_code=f.template(
                "UN/LOCODE of the port",
                lambda s: s.pick(("NLRTM", "DEHAM", "SGSIN", "ESVLC", "USORF")),
            ),
            distance_km=f.number("Distance in km", 11.2, 388.7, 2),
            berth=f.template("Berth", lambda s: f"Berth {s.whole(11, 88)}{s.pick('NSEW')}"),
        ),
        tool(
            "file_customs_declaration",
            "File a customs declaration for a container.",
            {
                "container_number": f.ident("Container", "MSCU", 7),
                "goods_value": f.budget("Value of the goods in US dollars", 2000, 90000, 500),
                "country_of_origin": f.country("Country of origin, ISO 3166-1 alpha-2"),
            },
            declaration_id=f.ident("Declaration id", "DCL", 7),
            duty=f.dollars("Duty", 40, 980),
            clearance_on=f.date("Expected day of clearance", 5, 20),
        ),
        tool(
            "insure_cargo",
            "Insure a shipment for its value.",
            {
                "shipment_id": f.ident("Shipment id", "SHP", 7),
                "goods_value": f.budget("Value of the goods in US dollars", 2000, 90000, 500),
            },
            policy_id=f.ident("Policy id", "CGI"),
            premium=f.price("Premium in US dollars", 18, 160),
        ),
        tool(
            "get_stock_level",
            "Get the stock of an article in a warehouse.",
            {
                "warehouse": f.choice("Warehouse code", "RTM-1"),
                "article": f.ident("Article number", "ART", 5),
            },
            warehouse=f.echo("warehouse"),
            pieces=f.integer("Pieces", 131, 4890),
            bin_code=f.ident("Storage bin", "BIN", 4),
        ),
        tool(
            "get_stock_forecast",
            "Get the expected stock of an article in a warehouse.",
            {
                "warehouse": f.choice("Warehouse code", "RTM-1"),
                "article": f.ident("Article number", "ART", 5),
            },
            pieces_in_30_days=f.integer("Pieces", 101, 3890),
        ),
        tool(
            "plan_stock_transfer",
            "Plan a transfer between warehouses from their stock levels.",
            {
                "stock_levels": f.array_of("Stock levels", f.record("Stock level")),
                "combined_pieces": f.integer("Pieces in all of them", 200, 9000),
            },
            plan_id=f.ident("Plan id", "STP"),
            pieces_to_move=f.integer("Pieces to move", 41, 880),
            ready_on=f.date("Day on which it is ready", 3, 12),
        ),
    ),
    entities=(
        Entity(
            "quote",
            ("freight quote {quote_id} of {carrier} at ${cost}",),
            "cost",
            "departs_on",
            "cheapest quote",
            "departure of the cheapest carrier",
        ),
        Entity("decided"),
        Entity(
            "shipment",
            ("shipment {shipment_id}, waybill {waybill_path}",),
            None,
            "loading_at",
            "shipment",
            "loading of the shipment",
        ),
        Entity(
            "collection", ("lorry {truck_plate}, driver's phone {driver_phone}",), noun="collection"
        ),
        Entity(
            "shipment_state",
            ("container {container_number} expected at {eta}",),
            None,
            "eta",
            "shipment's state",
            "arrival of the container",
        ),
        Entity("port", ("{berth} at {port_code}, {distance_km} km away",), noun="nearest port"),
        Entity(
            "declaration",
            ("customs declaration {declaration_id} with {duty} of duty",),
            "duty",
            "clearance_on",
            "customs declaration",
            "customs clearance",
        ),
        Entity("cargo_policy", ("cargo policy {policy_id}",), "premium", noun="cargo insurance"),
        Entity("stock"),
        Entity(
            "stock_plan",
            ("transfer plan {plan_id} for {pieces_to_move} pieces",),
            None,
            "ready_on",
            "transfer plan",
            "day of the transfer",
        ),
        Entity(
            "rate",
            ("a list price of ${rate_per_kg} a kilogram",),
            None,
            "valid_until",
            "price list",
            "end of the price list",
        ),
        Entity(
            "stock_outlook",
            ("{pieces_in_30_days} pieces expected at the best stocked place",),
            noun="expected stock",
        ),
    ),
    twins=(
        ("get_freight_quotes", "get_freight_rates"),
        ("book_shipment", "reserve_capacity"),
        ("get_shipment_status", "get_shipment_documents"),
        ("get_stock_level", "get_stock_forecast"),
    ),
    steps=(
        step(
            "get_freight_quotes",
            (
                "get freight quotes for {weight_kg} kg from {origin_city} to {destination_city}[ "
                "by {mode}]",
                "see what carriers ask for {weight_kg} kg from {origin_city} to "
                "{destination_city}[ by {mode}]",
            ),
            ("{carrier} is the cheapest with ${cost} ({transit_days} days).",),
            gives("quote", "/quotes/*", "min cost"),
            weight=2,
        ),
        step(
            "book_shipment",
            (
                "book the cheapest carrier[ for {consignee}][, terms {incoterm}]",
                "book the cheapest quote[ with {consignee} as consignee][ on {incoterm} terms]",
            ),
            ("Shipment {shipment_id} is booked and will be loaded at {loading_at}.",),
            gives("shipment"),
            gives("decided"),
            quote_id=ref("quote.quote_id"),
            weight=2,
        ),
        step(
            "reserve_capacity",
            ("reserve the space with the cheapest carrier for now",),
            ("The space is reserved as {reservation_code} until {lapses_at}.",),
            gives("decided"),
            quote_id=ref("quote.quote_id"),
            weight=0.4,
        ),
        step(
            "schedule_collection",
            ("have the goods collected[ at {pickup_address}] on {collection_date}",),
            ("Lorry {truck_plate} will come; the driver's phone is {driver_phone}.",),
            gives("collection"),
            shipment_id=ref("shipment.shipment_id"),
            changes="shipment",
        ),
        step(
            "insure_cargo",
            ("insure the cargo for {goods_value}",),
            ("Policy {policy_id} costs ${premium}.",),
            gives("cargo_policy"),
            shipment_id=ref("shipment.shipment_id"),
            changes="shipment",
        ),
        step(
            "get_shipment_status",
            (
                "check where the shipment stands",
                "look up container and arrival of the shipment",
            ),
            ("It is {status} in container {container_number}, due {eta}.",),
            gives("shipment_state"),
            shipment_id=ref("shipment.shipment_id"),
            reads="shipment",
            weight=1.5,
        ),
        step(
            "get_shipment_documents",
            ("list the documents of the shipment",),
            ("The invoice is {invoice_path}, the packing list {packing_list_path}.",),
            shipment_id=ref("shipment.shipment_id"),
            weight=0.8,
        ),
        step(
            "find_nearest_port",
            ("find the port nearest to it[ within {max_km} km]",),
            ("{port_code} is {distance_km} km away ({berth}).",),
            gives("port"),
            position=ref("shipment_state.position"),
        ),
        step(
            "file_customs_declaration",
            (
                "declare the container to customs, goods worth {goods_value} from "
                "{country_of_origin}",
            ),
            ("Declaration {declaration_id} brings {duty} of duty.",),
            gives("declaration"),
            container_number=ref("shipment_state.container_number"),
            weight=1.5,
        ),
        step(
            "get_stock_level",
            (
                "check the stock of article {article} in {warehouses}",
                "compare how much of article {article} is in {warehouses}",
            ),
            ("{warehouse} has {pieces} pieces in {bin_code}.",),
            gives("stock", "", "max pieces"),
            fan="warehouses",
            warehouse=slot("warehouses"),
            weight=1.2,
        ),
        step(
            "plan_stock_transfer",
            ("plan how to even out these stocks",),
            ("Plan {plan_id} moves {pieces_to_move} pieces, ready on {ready_on}.",),
            gives("stock_plan"),
            stock_levels=every("stock"),
            combined_pieces=total("stock.pieces"),
            weight=2,
        ),
        step(
            "get_freight_rates",
            (
                "look up the price list from {origin_city} to {destination_city}[ by {mode}]",
                "see the general rates from {origin_city} to {destination_city}[ by {mode}]",
            ),
            ("The list price is ${rate_per_kg} a kilogram until {valid_until}.",),
            gives("rate"),
            weight=2,
        ),
        step(
            "get_stock_forecast",
            (
                "see how much of article {article} {warehouses} will have in a month",
                "compare the expected stock of article {article} in {warehouses}",
            ),
            ("{warehouse} will have {pieces_in_30_days} pieces.",),
            gives("stock_outlook", "", "max pieces_in_30_days"),
            fan="warehouses",
            warehouse=slot("warehouses"),
            weight=1.2,
        ),
    ),
)
