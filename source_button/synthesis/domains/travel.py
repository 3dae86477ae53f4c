"""Flights, hotels and what goes with a trip."""

from __future__ import annotations

from source_button.synthesis.fields import (
    array_of,
    as_dollars,
    boolean,
    choice,
    city,
    count,
    date,
    date_after,
    days_between,
    echo,
    email,
    enum,
    ident,
    integer,
    known,
    moment,
    number,
    opt,
    person,
    price,
    record,
    rows,
    selected,
    template,
    unique,
    url,
)
from source_button.synthesis.model import (
    Domain,
    Entity,
    amount,
    every,
    gives,
    ref,
    slot,
    step,
    tool,
)
from source_button.synthesis.words import AIRLINES

_FLIGHT = record(
    "A flight offer",
    offer_id=ident("Offer id", "OFF"),
    flight_number=template("Flight number", lambda s: f"{s.pick(AIRLINES)[1]}{s.whole(210, 4980)}"),
    departs_at=moment("Departure, UTC", on="departure_date", hours=(6, 20)),
    duration_minutes=integer("Time in the air", 70, 640),
    stops=integer("Number of stops", 0, 1),
    price=price("Fare per adult in US dollars", 140, 890),
)
_HOTEL = record(
    "A hotel offer",
    hotel_id=ident("Hotel id", "HTL", 5),
    name=unique(
        "Name of the hotel", "Hotel Aurora", "The Old Mill", "Casa Miramar", "Parkside Inn",
        "Grand Central Lodge", "Riverside Suites", "Hotel Belvedere", "The Lantern House",
        "Villa Serena", "Harbour View Hotel", "Linden Court", "The Copper Kettle Inn",
        "Hotel Montclair", "Station Quarter Rooms", "Garden Terrace Hotel", "The Foundry",
    ),
    stars=integer("Stars", 2, 5),
    nightly_rate=price("Price per night in US dollars", 62, 340),
    distance_km=number("Distance to the centre in kilometres", 0.3, 6.5),
)  # fmt: skip

DOMAIN = Domain(
    name="travel",
    openings=(
        "I'm planning a trip and would rather not spend the evening on it.",
        "My partner and I finally got the same week off.",
        "Work is sending me abroad and I have to organise everything myself.",
        "I promised my sister a few days away for her birthday.",
        "We want to get out of town for a while.",
    ),
    slots={
        "origin": city("Departure city"),
        "destination": city("Arrival city"),
        "departure_date": date_after("Day of departure", "check_in", 0, 0),
        "check_in": date_after("First night", "departure_date", 0, 0),
        "check_out": date_after("Day of departure", "check_in", 2, 6),
        "traveller": person(),
    },
    facts={
        "traveller": ("The traveller is {traveller}.", "The booking should be under {traveller}."),
        "email": ("My e-mail is {email}.", "Use {email} for the booking."),
    },
    tools=(
        tool(
            "search_flights",
            "Search flight offers between two cities on a given day.",
            {
                "origin": city("Departure city"),
                "destination": city("Arrival city"),
                "departure_date": date("Day of departure, YYYY-MM-DD"),
                "cabin": opt(enum("Cabin class", "economy", "premium_economy", "business")),
                "adults": opt(count("Number of adult passengers", 2, 4, 9)),
            },
            origin=echo("origin"),
            offers=rows("Offers found", _FLIGHT),
        ),
        tool(
            "search_flight_status",
            "Look up the live status of a scheduled flight on a given day.",
            {
                "flight_number": template(
                    "Flight number, e.g. LH441", lambda s: f"LH{s.whole(210, 4980)}"
                ),
                "departure_date": date("Day of departure, YYYY-MM-DD"),
            },
            flight_number=echo("flight_number"),
            status=enum("Status", "on_time", "delayed"),
            gate=template("Gate", lambda s: f"{s.pick('ABCD')}{s.whole(11, 58)}"),
            terminal=template("Terminal", lambda s: f"Terminal {s.whole(1, 4)}"),
        ),
        tool(
            "hold_flight_offer",
            "Reserve a flight offer for 24 hours without paying.",
            {"offer_id": ident("Offer id", "OFF"), "passenger_name": person("Passenger")},
            hold_id=ident("Hold id", "HLD"),
            expires_at=moment("When the hold ends, UTC", 1, 2),
        ),
        tool(
            "book_flight",
            "Book a flight offer for a passenger and issue the ticket.",
            {
                "offer_id": ident("Offer id", "OFF"),
                "passenger_name": person("Passenger as in the passport"),
                "email": opt(email("Address for the ticket", "traveller")),
            },
            booking_reference=ident("Booking reference", "FBK"),
            ticket_number=template(
                "E-ticket number", lambda s: f"220-{s.whole(10**9, 10**10 - 1)}"
            ),
            amount_charged=template(
                "Amount charged, airport taxes included",
                lambda s: as_dollars(known(s, "flight.price", 240.0) + s.whole(1130, 3890) / 100),
            ),
        ),
        tool(
            "add_checked_baggage",
            "Add checked bags to an existing flight booking.",
            {
                "booking_reference": ident("Booking reference", "FBK"),
                "bags": count("Number of bags", 2, 3, 5),
                "weight_kg": opt(integer("Weight of each bag in kilograms", 15, 30)),
            },
            baggage_id=ident("Baggage order id", "BAG"),
            fee=price("Fee in US dollars", 30, 120),
        ),
        tool(
            "select_seat",
            "Reserve a seat on a booked flight.",
            {
                "booking_reference": ident("Booking reference", "FBK"),
                "preference": enum("Seat preference", "window", "aisle", "extra_legroom"),
            },
            seat=template("Seat", lambda s: f"{s.whole(7, 38)}{s.pick('ACDF')}"),
            seat_fee=price("Fee in US dollars", 9, 48),
        ),
        tool(
            "get_flight_booking",
            "Show a flight booking with its extras and the balance due.",
            {"booking_reference": ident("Booking reference", "FBK")},
            booking_reference=echo("booking_reference"),
            status=enum("Status", "ticketed", "confirmed"),
            balance_due=price("Balance due in US dollars", 12, 180),
            manage_url=url("Page of the booking", "https://fly.example.com/manage/{}", "M"),
        ),
        tool(
            "search_hotels",
            "Search hotels in a city for a stay.",
            {
                "city": city("City of the stay"),
                "check_in": date("First night, YYYY-MM-DD"),
                "check_out": date_after("Day of departure, YYYY-MM-DD", "check_in"),
                "guests": opt(count("Number of guests", 2, 4, 8)),
            },
            city=echo("city"),
            hotels=rows("Hotels found", _HOTEL),
        ),
        tool(
            "get_hotel_reviews",
            "Get the review summary of one hotel.",
            {"hotel_id": ident("Hotel id", "HTL", 5)},
            hotel_id=echo("hotel_id"),
            score=number("Average score from 1 to 10", 6.1, 9.7, 2, minimum=1, maximum=10),
            review_count=integer("Number of reviews", 118, 2890),
            highlight=unique(
                "A typical remark",
                "very quiet rooms",
                "breakfast is excellent",
                "friendly staff at any hour",
                "five minutes from the tram",
                "great views",
                "a little dated but spotless",
            ),
        ),
        tool(
            "get_hotel_details",
            "Get address and facilities of one hotel.",
            {"hotel_id": ident("Hotel id", "HTL", 5)},
            hotel_id=echo("hotel_id"),
            facilities=choice("Facilities", "pool, gym, bar", "sauna, restaurant", "gym, parking"),
            front_desk_hours=choice("Front desk", "24 hours", "06:00-23:00"),
            website=url("Website", "https://stay.example.com/h/{}"),
        ),
        tool(
            "compare_hotels",
            "Compare hotel reviews and pick the best value for money.",
            {
                "reviews": array_of("Review summaries to compare", record("Review summary")),
                "criterion": opt(enum("What matters most", "price", "location", "quietness")),
            },
            recommended=selected("The recommended entry of the list", "reviews", "max score"),
            reason=choice(
                "Why",
                "best score among the candidates",
                "most consistent reviews",
                "strong score with many reviews",
            ),
        ),
        tool(
            "book_hotel",
            "Book a room in a hotel for a stay.",
            {
                "hotel_id": ident("Hotel id", "HTL", 5),
                "check_in": date("First night, YYYY-MM-DD"),
                "check_out": date_after("Day of departure, YYYY-MM-DD", "check_in"),
                "guest_name": person("Guest"),
            },
            reservation_id=ident("Reservation id", "RSV"),
            room=template("Room", lambda s: f"R-{s.whole(101, 912)}"),
            total_price=template(
                "Total for the stay, city tax included",
                lambda s: as_dollars(
                    known(s, "hotel.nightly_rate", 130.0)
                    * days_between(s.arguments["check_in"], s.arguments["check_out"])
                    + s.whole(310, 1290) / 100
                ),
            ),
            free_cancellation_until=moment("Free cancellation until, UTC", on="check_in", shift=-2),
        ),
        tool(
            "book_airport_transfer",
            "Book a car from the airport to an address or reservation.",
            {
                "reservation_id": ident("Reservation the car drives to", "RSV"),
                "pickup_time": moment("Pick-up time"),
                "passengers": opt(count("Passengers", 2, 4, 8)),
            },
            transfer_id=ident("Transfer id", "TRF"),
            driver_phone=template(
                "Driver's phone number", lambda s: f"+1{s.whole(201, 989)}555{s.whole(1000, 9999)}"
            ),
            fare=price("Fare in US dollars", 24, 95),
        ),
        tool(
            "buy_travel_insurance",
            "Insure a trip for its price.",
            {
                "trip_cost": price("Cost of the trip in US dollars", 200, 3000),
                "traveller_name": person("Insured person"),
                "cover_level": opt(enum("Level of cover", "basic", "standard", "premium")),
            },
            policy_number=ident("Policy number", "TRV"),
            premium=price("Premium in US dollars", 14, 98),
        ),
        tool(
            "check_visa_requirements",
            "Check whether a visa is needed for a destination.",
            {
                "nationality": choice("Nationality", "Irish", "Canadian", "Japanese", "Mexican"),
                "destination": city("City travelled to"),
            },
            visa_required=boolean("Whether a visa is needed", 0.3),
            max_stay_days=integer("Longest stay in days", 28, 180),
            form_id=ident("Entry form to fill in", "FRM", 4),
        ),
    ),
    entities=(
        Entity(
            "flight",
            ("flight {flight_number} leaving at {departs_at} for ${price}",),
            "price",
            "departs_at",
        ),
        Entity(
            "flight_booking",
            ("flight booking {booking_reference} (ticket {ticket_number})",),
            "amount_charged",
        ),
        Entity("hotel", ("{name} at ${nightly_rate} a night",), "nightly_rate"),
        Entity("fare_decision"),
        Entity("review", ()),
        Entity("hotel_choice", ()),
        Entity(
            "stay",
            ("hotel reservation {reservation_id}, room {room}",),
            "total_price",
            "free_cancellation_until",
            "hotel stay",
            "free cancellation deadline of the stay",
        ),
        Entity(
            "transfer", ("airport transfer {transfer_id}, driver's phone {driver_phone}",), "fare"
        ),
        Entity(
            "flight_summary",
            ("booking page {manage_url} with ${balance_due} still due",),
            "balance_due",
        ),
        Entity("travel_policy", ("travel insurance {policy_number}",), "premium"),
        Entity("baggage", ("baggage order {baggage_id} (${fee})",), "fee"),
    ),
    twins=(
        ("search_flights", "search_flight_status"),
        ("book_flight", "hold_flight_offer"),
        ("get_hotel_reviews", "get_hotel_details"),
        ("add_checked_baggage", "select_seat"),
    ),
    steps=(
        step(
            "search_flights",
            (
                "find a flight from {origin} to {destination} on {departure_date}[ in {cabin}][ "
                "for {adults} adults]",
                "look for flights from {origin} to {destination} leaving on {departure_date}[ "
                "({cabin})][, {adults} of us]",
            ),
            (
                "The cheapest flight is {flight_number} at ${price}.",
                "{flight_number} for ${price} is the best fare on offer.",
            ),
            gives("flight", "/offers/*", "min price"),
            weight=2,
        ),
        step(
            "search_flight_status",
            ("check gate and terminal of that flight", "see which gate that flight leaves from"),
            ("It leaves from {terminal}, gate {gate}.",),
            flight_number=ref("flight.flight_number"),
        ),
        step(
            "hold_flight_offer",
            ("put the cheapest fare on hold[ for {traveller}]",),
            ("The fare is held under {hold_id} until {expires_at}.",),
            gives("fare_decision"),
            offer_id=ref("flight.offer_id"),
            passenger_name=slot("traveller"),
            weight=0.5,
        ),
        step(
            "book_flight",
            (
                "book the cheapest flight[ for {traveller}][ and have the ticket sent to {email}]",
                "buy the cheapest flight ticket[ for {traveller}][ (ticket to {email})]",
            ),
            (
                "The ticket is issued under {booking_reference}.",
                "Flight booking {booking_reference} is confirmed, {amount_charged} charged.",
            ),
            gives("flight_booking"),
            gives("fare_decision"),
            offer_id=ref("flight.offer_id"),
            passenger_name=slot("traveller"),
            weight=2,
        ),
        step(
            "add_checked_baggage",
            ("add {bags} checked bags to the flight[ of {weight_kg} kg each]",),
            ("The bags are added for ${fee}.", "Baggage order {baggage_id} costs ${fee}."),
            gives("baggage"),
            changes="flight_booking",
            booking_reference=ref("flight_booking.booking_reference"),
        ),
        step(
            "select_seat",
            ("reserve a seat with {preference} on it", "pick a seat on the flight ({preference})"),
            ("Seat {seat} is reserved for ${seat_fee}.",),
            changes="flight_booking",
            booking_reference=ref("flight_booking.booking_reference"),
        ),
        step(
            "get_flight_booking",
            (
                "show the final state of the flight booking",
                "double-check the flight booking and what is still due on it",
            ),
            ("The booking is in order; ${balance_due} is still due.",),
            gives("flight_summary"),
            reads="flight_booking",
            booking_reference=ref("flight_booking.booking_reference"),
        ),
        step(
            "search_hotels",
            (
                "find hotels in {destination} from {check_in} to {check_out}[ for {guests} guests]",
                "see which hotels are free in {destination} between {check_in} and {check_out}[ "
                "({guests} guests)]",
            ),
            (
                "{name} is the cheapest hotel at ${nightly_rate} a night.",
                "The best rate is {name} with ${nightly_rate} per night.",
            ),
            gives("hotel", "/hotels/*", "min nightly_rate"),
            city=slot("destination"),
            weight=2,
        ),
        step(
            "get_hotel_reviews",
            (
                "read the reviews of the {lanes} cheapest hotels",
                "compare what guests say about the top {lanes} hotels",
            ),
            ("{hotel_id} scores {score} ({highlight}).",),
            gives("review"),
            each="hotel",
            hotel_id=ref("hotel.hotel_id"),
        ),
        step(
            "compare_hotels",
            ("pick the best of them by its reviews[, mostly for its {criterion}]",),
            ("{recommended.hotel_id} comes out best ({reason}).",),
            gives("hotel_choice", "/recommended"),
            reviews=every("review"),
        ),
        step(
            "book_hotel",
            ("book the recommended hotel[ for {traveller}] from {check_in} to {check_out}",),
            ("Room {room} is reserved ({reservation_id}), {total_price} in total.",),
            gives("stay"),
            hotel_id=ref("hotel_choice.hotel_id"),
            guest_name=slot("traveller"),
            weight=2,
        ),
        step(
            "book_hotel",
            (
                "book the cheapest hotel[ for {traveller}] from {check_in} to {check_out}",
                "reserve the cheapest of the hotels in the name of {traveller}, {check_in} to "
                "{check_out}",
            ),
            ("Room {room} is reserved ({reservation_id}), {total_price} in total.",),
            gives("stay"),
            hotel_id=ref("hotel.hotel_id"),
            guest_name=slot("traveller"),
        ),
        step(
            "get_hotel_details",
            ("look up the facilities of the cheapest hotel",),
            ("It offers {facilities}; the front desk is open {front_desk_hours}.",),
            hotel_id=ref("hotel.hotel_id"),
            weight=0.7,
        ),
        step(
            "book_airport_transfer",
            (
                "arrange a car from the airport to the hotel when the flight is due[, "
                "{passengers} people]",
            ),
            ("A driver is booked ({transfer_id}, phone {driver_phone}).",),
            gives("transfer"),
            reservation_id=ref("stay.reservation_id"),
            pickup_time=ref("flight.departs_at"),
            weight=1.5,
        ),
        step(
            "buy_travel_insurance",
            ("insure the flight for {traveller}[ with {cover_level} cover]",),
            ("Policy {policy_number} covers it for ${premium}.",),
            gives("travel_policy"),
            trip_cost=amount("flight_booking.amount_charged"),
            traveller_name=slot("traveller"),
        ),
        step(
            "buy_travel_insurance",
            ("insure the hotel stay for {traveller}[ with {cover_level} cover]",),
            ("Policy {policy_number} covers it for ${premium}.",),
            gives("travel_policy"),
            trip_cost=amount("stay.total_price"),
            traveller_name=slot("traveller"),
        ),
        step(
            "check_visa_requirements",
            ("check whether {nationality} citizens need a visa for {destination}",),
            ("The stay may last up to {max_stay_days} days; entry form {form_id} is needed.",),
            weight=0.5,
        ),
    ),
)
