"""Restaurants, tables and food delivery."""

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
)

DOMAIN = Domain(
    name="dining",
    openings=(
        "It's our anniversary and I want it to be nice.",
        "The whole team is coming to dinner.",
        "I don't feel like cooking.",
        "My parents are visiting, and they love good food.",
    ),
    slots={
        "guest": f.person(),
        "guest_phone": f.phone(),
        "cuisine": f.choice(
            "Kitchen", "Italian", "Thai", "Lebanese", "Japanese", "Mexican", "Georgian", "Indian"
        ),
        "cities": f.city(),
        "date": f.date("Day of the meal", 2, 25),
    },
    facts={
        "guest": ("The table is for {guest}.", "Use the name {guest}."),
        "guest_phone": ("My number is {guest_phone}.", "I can be called at {guest_phone}."),
    },
    tools=(
        tool(
            "search_restaurants",
            "Search restaurants by kitchen and city.",
            {
                "cuisine": f.choice("Kitchen", "Italian"),
                "city": f.city("City"),
                "price_level": f.opt(f.enum("Price level", "cheap", "moderate", "upscale")),
                "open_now": f.opt(f.boolean("Whether it must be open")),
            },
            restaurants=f.rows(
                "Restaurants",
                f.record(
                    "A restaurant",
                    restaurant_id=f.ident("Restaurant id", "RST", 5),
                    name=f.unique(
                        "Name",
                        "Trattoria Luna",
                        "The Blue Olive",
                        "Saffron & Salt",
                        "Casa Verde",
                        "Ember Kitchen",
                        "The Fig Tree",
                        "Nori House",
                        "Café Meridian",
                        "Old Harbour Table",
                        "Pepper Lane",
                        "Juniper Room",
                        "The Tin Whistle",
                    ),
                    rating=f.number("Guests' rating", 3.4, 4.9, 2),
                    average_bill=f.price("Average bill in US dollars", 14, 88),
                ),
            ),
        ),
        tool(
            "search_recipes",
            "Search recipes by kitchen.",
            {
                "cuisine": f.choice("Kitchen", "Italian"),
                "max_minutes": f.opt(f.count("Longest time in minutes", 20, 90, 600)),
            },
            recipe_id=f.ident("Recipe id", "RCP"),
            ingredients=f.integer("Number of ingredients", 5, 18),
        ),
        tool(
            "get_menu",
            "Get the menu of a restaurant.",
            {"restaurant_id": f.ident("Restaurant id", "RST", 5)},
            restaurant_id=f.echo("restaurant_id"),
            dishes=f.rows(
                "Dishes",
                f.record(
                    "A dish",
                    dish_id=f.ident("Dish id", "DSH", 5),
                    name=f.unique(
                        "Dish",
                        "braised lamb shank",
                        "mushroom risotto",
                        "sea bass with fennel",
                        "aubergine stew",
                        "saffron chicken",
                        "lentil dumplings",
                        "duck noodles",
                        "pumpkin curry",
                        "grilled halloumi",
                    ),
                    price=f.price("Price in US dollars", 9, 38),
                    calories=f.integer("Calories", 310, 980),
                ),
            ),
        ),
        tool(
            "get_wine_list",
            "Get the wine list of a restaurant.",
            {"restaurant_id": f.ident("Restaurant id", "RST", 5)},
            restaurant_id=f.echo("restaurant_id"),
            house_wine_price=f.price("Price of the house wine", 18, 44),
            list_url=f.url("Wine list", "https://eat.example.com/wines/{}"),
        ),
        tool(
            "check_table_availability",
            "Check which tables are free on a day and time.",
            {
                "restaurant_id": f.ident("Restaurant id", "RST", 5),
                "date": f.date("Day, YYYY-MM-DD", 2, 25),
                "time": f.clock("Time, HH:MM", 17, 21),
                "party_size": f.count("Number of guests", 2, 9, 20),
            },
            table_id=f.ident("Best free table", "TBL", 4),
            seated_at=f.moment("Time of the table", on="date", hours=(17, 21)),
            area=f.choice("Where it stands", "terrace", "main room", "gallery"),
        ),
        tool(
            "check_waiting_time",
            "Check how long guests wait without a reservation.",
            {
                "restaurant_id": f.ident("Restaurant id", "RST", 5),
                "party_size": f.count("Number of guests", 2, 9, 20),
            },
            wait_minutes=f.integer("Minutes", 15, 85),
        ),
        tool(
            "reserve_table",
            "Reserve a free table.",
            {
                "table_id": f.ident("Table id", "TBL", 4),
                "guest_name": f.person("Name"),
                "phone": f.phone("Guest's phone number"),
                "occasion": f.opt(
                    f.choice("Occasion", "anniversary", "birthday", "business dinner")
                ),
            },
            reservation_id=f.ident("Reservation id", "TRS"),
            deposit=f.dollars("Deposit", 10, 60),
            cancel_until=f.moment("Free cancellation until", 1, 2),
        ),
        tool(
            "cancel_reservation",
            "Cancel a reserved table.",
            {"reservation_id": f.ident("Reservation id", "TRS"), "guest_name": f.person("Name")},
            refunded=f.dollars("Amount paid back", 5, 55),
        ),
        tool(
            "preorder_dishes",
            "Order dishes ahead for a reserved table.",
            {
                "reservation_id": f.ident("Reservation id", "TRS"),
                "dish_ids": f.array_of("Dishes", f.ident("Dish id", "DSH", 5)),
                "note": f.opt(
                    f.choice("Wish to the kitchen", "no peanuts", "less salt", "one vegetarian")
                ),
            },
            preorder_id=f.ident("Pre-order id", "PRE"),
            preorder_total=f.price("Total in US dollars", 42, 260),
        ),
        tool(
            "order_delivery",
            "Order a dish to an address.",
            {
                "dish_id": f.ident("Dish id", "DSH", 5),
                "quantity": f.count("Portions", 2, 5, 30),
                "delivery_address": f.address("Where it is brought"),
                "tip_percent": f.opt(f.percent("Tip in percent", 5, 20)),
            },
            delivery_id=f.ident("Delivery id", "DLV"),
            arrives_at=f.moment("Arrival", 0, 1),
            delivery_total=f.dollars("Total", 24, 140),
        ),
        tool(
            "get_reservation",
            "Show a reservation with its pre-orders.",
            {"reservation_id": f.ident("Reservation id", "TRS")},
            reservation_id=f.echo("reservation_id"),
            expected_bill=f.price("Expected bill in US dollars", 61, 480),
            host_name=f.person("Host of the evening"),
        ),
        tool(
            "split_bill",
            "Split a bill among guests.",
            {
                "bill": f.price("Bill in US dollars", 60, 480),
                "people": f.count("Number of people", 2, 9, 20),
                "tip_percent": f.opt(f.percent("Tip in percent", 5, 20)),
            },
            per_person=f.calc(
                {"type": "number", "description": "Share of each in US dollars"},
                lambda s: round(
                    s.arguments["bill"]
                    * (1 + s.arguments.get("tip_percent", 10) / 100)
                    / s.arguments["people"]
                    + 0.01,
                    2,
                ),
            ),
            payment_link=f.url("Link to pay", "https://pay.example.com/split/{}"),
        ),
        tool(
            "compare_restaurants",
            "Compare menus by their dishes and prices.",
            {
                "menus": f.array_of("Menus", f.record("A menu")),
                "diet": f.opt(f.enum("Diet", "vegetarian", "vegan", "gluten_free")),
            },
            best=f.calc(
                {"type": "object", "description": "The menu that fits best"},
                lambda s: s.arguments["menus"][-1],
            ),
            fitting_dishes=f.integer("Dishes that fit", 2, 4),
        ),
    ),
    entities=(
        Entity(
            "restaurant",
            ("{name} (rating {rating})",),
            "average_bill",
            noun="best rated restaurant",
        ),
        Entity("menu"),
        Entity("dish", ("{name} for ${price}",), "price", noun="dish"),
        Entity(
            "table", ("table {table_id} at {seated_at}",), None, "seated_at", "free table", "dinner"
        ),
        Entity("menu_choice"),
        Entity(
            "table_reservation",
            ("reservation {reservation_id} with a deposit of {deposit}",),
            "deposit",
            "cancel_until",
            "reservation",
            "last day of free cancellation",
        ),
        Entity(
            "preorder",
            ("pre-order {preorder_id} over ${preorder_total}",),
            "preorder_total",
            noun="pre-order",
        ),
        Entity(
            "delivery",
            ("delivery {delivery_id} at {arrives_at}",),
            "delivery_total",
            "arrives_at",
            "delivery",
        ),
        Entity(
            "evening",
            ("an expected bill of ${expected_bill}",),
            "expected_bill",
            noun="expected bill",
        ),
        Entity(
            "split",
            ("${per_person} each, payable at {payment_link}",),
            "per_person",
            noun="share of the bill",
        ),
        Entity("wine", ("the wine list {list_url}",), "house_wine_price", noun="house wine"),
        Entity("recipe", ("recipe {recipe_id} with {ingredients} ingredients",), noun="recipe"),
    ),
    twins=(
        ("search_restaurants", "search_recipes"),
        ("get_menu", "get_wine_list"),
        ("check_table_availability", "check_waiting_time"),
        ("reserve_table", "cancel_reservation"),
    ),
    steps=(
        step(
            "search_restaurants",
            (
                "find {cuisine} restaurants in {city}[, {price_level} ones]",
                "look for a good {cuisine} place in {city}[ ({price_level})]",
            ),
            ("{name} is rated best ({rating}).",),
            gives("restaurant", "/restaurants/*", "max rating"),
            weight=2,
        ),
        step(
            "search_restaurants",
            ("find the best {cuisine} restaurants in each of {cities}",),
            ("{name} stands out there ({rating}).",),
            gives("restaurant", "/restaurants/*", "max rating"),
            fan="cities",
            city=slot("cities"),
            weight=0.7,
        ),
        step(
            "get_menu",
            ("get the menu of the best rated place",),
            ("The cheapest dish is {name} for ${price}.",),
            gives("dish", "/dishes/*", "min price"),
            restaurant_id=ref("restaurant.restaurant_id"),
            weight=1.4,
        ),
        step(
            "get_menu",
            ("read the menus of the {lanes} best rated places",),
            ("{restaurant_id} offers {dishes.0.name}, among others.",),
            gives("menu"),
            each="restaurant",
            restaurant_id=ref("restaurant.restaurant_id"),
            weight=1.4,
        ),
        step(
            "compare_restaurants",
            ("choose the menu that fits best[ for a {diet} guest]",),
            ("{best.restaurant_id} fits best ({fitting_dishes} dishes).",),
            gives("menu_choice", "/best"),
            menus=every("menu"),
            weight=2,
        ),
        step(
            "get_wine_list",
            ("see the wine list of the best rated place",),
            ("The house wine is ${house_wine_price} ({list_url}).",),
            gives("wine"),
            restaurant_id=ref("restaurant.restaurant_id"),
            weight=0.7,
        ),
        step(
            "check_table_availability",
            ("see whether the best rated place has a table for {party_size} on {date} at {time}",),
            ("Table {table_id} in the {area} is free at {seated_at}.",),
            gives("table"),
            restaurant_id=ref("restaurant.restaurant_id"),
            weight=1.6,
        ),
        step(
            "check_table_availability",
            ("see whether the chosen place has a table for {party_size} on {date} at {time}",),
            ("Table {table_id} in the {area} is free at {seated_at}.",),
            gives("table"),
            restaurant_id=ref("menu_choice.restaurant_id"),
            weight=2.5,
        ),
        step(
            "check_waiting_time",
            ("check how long {party_size} people would wait there without a reservation",),
            ("The wait is about {wait_minutes} minutes.",),
            restaurant_id=ref("restaurant.restaurant_id"),
            weight=0.5,
        ),
        step(
            "reserve_table",
            (
                "reserve it[ for {guest}][, phone {guest_phone}][, it's a {occasion}]",
                "reserve the table[ in the name of {guest}][ ({guest_phone})][ for a {occasion}]",
            ),
            ("Reservation {reservation_id} needs a deposit of {deposit}.",),
            gives("table_reservation"),
            table_id=ref("table.table_id"),
            guest_name=slot("guest"),
            phone=slot("guest_phone"),
            weight=2,
        ),
        step(
            "preorder_dishes",
            ("order all of the listed dishes ahead[, with the wish '{note}']",),
            ("Pre-order {preorder_id} comes to ${preorder_total}.",),
            gives("preorder"),
            changes="table_reservation",
            reservation_id=ref("table_reservation.reservation_id"),
            dish_ids=every("dish.dish_id"),
            weight=1.6,
        ),
        step(
            "get_reservation",
            ("show the reservation with the bill to expect",),
            ("The bill will be about ${expected_bill}; {host_name} is the host.",),
            gives("evening"),
            reads="table_reservation",
            reservation_id=ref("table_reservation.reservation_id"),
            weight=1.2,
        ),
        step(
            "split_bill",
            ("split that bill among {people} people[ with {tip_percent} tip]",),
            ("That is ${per_person} each ({payment_link}).",),
            gives("split"),
            bill=ref("evening.expected_bill"),
            weight=1.5,
        ),
        step(
            "split_bill",
            ("split the pre-order among {people} people[ with {tip_percent} tip]",),
            ("That is ${per_person} each ({payment_link}).",),
            gives("split"),
            bill=ref("preorder.preorder_total"),
        ),
        step(
            "order_delivery",
            (
                "have {quantity} portions of the cheapest dish brought to {delivery_address}[ "
                "with {tip_percent} tip]",
            ),
            ("Delivery {delivery_id} arrives at {arrives_at} for {delivery_total}.",),
            gives("delivery"),
            dish_id=ref("dish.dish_id"),
        ),
        step(
            "search_recipes",
            ("find {cuisine} recipes[ that take at most {max_minutes} minutes]",),
            ("Recipe {recipe_id} needs {ingredients} ingredients.",),
            gives("recipe"),
            weight=2,
        ),
    ),
)
