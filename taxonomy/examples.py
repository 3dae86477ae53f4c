"""Readable sample plans for the kinds' examples and for tests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache

from plan.clean import COMPUTED, DATA, ORDER, Call, CleanPlan, Edge
from plan.damage import Damage
from plan.execution import Observation
from plan.graph import layers
from plan.json_text import Json
from plan.reference import references, resolve, text_of
from plan.state import Round, State
from plan.task import ROOT, Plan
from plan.tool import Tool, describe


@dataclass(frozen=True, slots=True)
class Step:
    """One call of a sample: tool, arguments with references, and recorded result.

    ``after`` names calls that must come first without any value flowing; ``worked_out``
    gives the recorded value of each ``$computed`` by its JSON Pointer; ``turn`` is the
    assistant message that made the call, by default its layer's number.
    """

    name: str
    arguments: Mapping[str, Json]
    result: Json
    after: Sequence[str] = ()
    worked_out: Mapping[str, Json] | None = None
    turn: int | None = None


def sample_tool(name: str, purpose: str, /, **parameters: Json) -> Tool:
    """Make a tool from short types.

    A parameter is a JSON Schema type or a string format, with ``?`` behind it where it may
    be left out; a list is an enum; a dict is a schema as it stands.
    """
    properties: dict[str, Json] = {}
    required = []
    for key, short in parameters.items():
        needed = True
        if isinstance(short, list):
            schema: Json = {"type": "string", "enum": short}
        elif isinstance(short, dict):
            schema = {**short}
            needed = not schema.pop("optional", False)
        else:
            needed = not short.endswith("?")
            kind = short.rstrip("?")
            plain = kind in ("string", "integer", "number", "boolean", "array", "object")
            schema = {"type": kind} if plain else {"type": "string", "format": kind}
        properties[key] = schema
        if needed:
            required.append(key)
    return Tool(name, purpose, {"type": "object", "properties": properties, "required": required})


def sample_plan(query: str, tools: Sequence[Tool], steps: Sequence[Step]) -> CleanPlan:
    """Make a clean plan; ids are "1", "2"… in the steps' order."""
    listed = {tool.name: tool for tool in tools}
    results: dict[str, Json] = {}
    edges: list[Edge] = []
    before: dict[str, tuple[str, ...]] = {}
    for number, step in enumerate(steps, 1):
        id = str(number)
        found = list(references(step.arguments))
        edges += [
            Edge(
                use.node,
                id,
                COMPUTED if use.kind == "computed" else DATA,
                use.argument,
                use.pointer,
            )
            for use in found
        ]
        edges += [Edge(other, id, ORDER, None, None) for other in step.after]
        before[id] = tuple(dict.fromkeys([*(use.node for use in found), *step.after])) or (ROOT,)
        results[id] = step.result
    depth = layers(before)
    calls = {}
    for (id, depends_on), step in zip(before.items(), steps, strict=True):
        worked_out = step.worked_out or {}

        def compute(place: str, inputs: list[Json], known: Mapping[str, Json] = worked_out) -> Json:
            return known[place]

        calls[id] = Call(
            id,
            depth[id] + 1 if step.turn is None else step.turn,
            step.name,
            step.arguments,
            resolve(step.arguments, results, compute),
            describe(listed[step.name]),
            depends_on,
            step.result,
        )
    return CleanPlan(query, listed, calls, tuple(edges))


def state_at(clean: CleanPlan, round: int) -> State:
    """Return the state before a round runs, every earlier round having gone well."""
    plan = clean.plan()
    history = []
    for number in range(1, round):
        seen = observe(plan, clean)
        history.append(Round(number, plan, seen))
        plan = advanced(plan, seen)
    return State(round, clean.query, clean.tools, plan, (), tuple(history))


def observe(plan: Plan, clean: CleanPlan) -> tuple[Observation, ...]:
    """Return what a plan's frontier gives if each call does what the clean one does."""
    calls = [clean.calls[id] for id in plan.frontier() if id in clean.calls]
    return tuple(Observation(call.id, call.name, call.sent, call.result) for call in calls)


def advanced(plan: Plan, seen: Sequence[Observation]) -> Plan:
    """Return a plan with the observed calls marked as sent, their results noted."""
    return plan.replaced(
        {
            one.id: plan.tasks[one.id].changed(
                description=f"{plan.tasks[one.id].description}\n{text_of(one.results)}",
                status=True,
            )
            for one in seen
        }
    )


def damaged(state: State, clean: CleanPlan, damage: Damage) -> State:
    """Return a state with a damage in it; a fault shows in the observations."""
    if damage.fault is None:
        return replace(state, plan=state.plan.replaced(damage.changes))
    failure: Json = [] if damage.fault == "empty" else {"error": "Request timed out after 30 s."}
    return replace(
        state,
        observations=tuple(
            replace(seen, results=failure) if seen.id == damage.node else seen
            for seen in observe(state.plan, clean)
        ),
    )


@cache
def trip() -> CleanPlan:
    """A journey: eight calls in five rounds, with pairs that run side by side."""
    tools = (
        sample_tool(
            "get_city_info",
            "Look up a city by its name. Gives its id and currency.",
            city="string",
        ),
        sample_tool(
            "search_flights",
            "Search flights between two cities on a date.",
            origin="string",
            destination="string",
            date="date",
            cabin={"type": "string", "enum": ["economy", "business"], "optional": True},
        ),
        sample_tool(
            "search_hotels",
            "Search hotels in a city for a stay.",
            city_id="string",
            check_in="date",
            nights="integer",
            max_price="number?",
        ),
        sample_tool(
            "get_weather_forecast",
            "Get the weather forecast of a city for a date.",
            city_id="string",
            date="date",
        ),
        sample_tool(
            "get_weather_history",
            "Get the weather records of a city for a past date.",
            city_id="string",
            date="date",
            station="string?",
        ),
        sample_tool(
            "book_flight",
            "Book a flight offer for a passenger.",
            offer_id="string",
            passenger="string",
        ),
        sample_tool(
            "hold_flight",
            "Hold a flight offer for a passenger without paying.",
            offer_id="string",
            passenger="string",
            hours={"type": "integer", "minimum": 2, "maximum": 48},
        ),
        sample_tool(
            "book_hotel",
            "Book a hotel room for a guest.",
            hotel_id="string",
            guest="string",
            check_in="date",
            nights="integer",
        ),
        sample_tool(
            "create_itinerary",
            "Create an itinerary out of bookings.",
            flight_booking="string",
            hotel_booking="string",
            title="string",
            note="string?",
        ),
        sample_tool(
            "share_itinerary",
            "Share an itinerary with somebody by e-mail.",
            itinerary_id="string",
            email="email",
        ),
    )
    steps = (
        Step("get_city_info", {"city": "Lisbon"}, {"city_id": "LIS-2041", "currency": "EUR"}),
        Step(
            "search_flights",
            {"origin": "Berlin", "destination": "Lisbon", "date": "2026-05-14"},
            {"offers": [{"offer_id": "OF-88213", "price": 214.5}]},
        ),
        Step(
            "search_hotels",
            {"city_id": {"$ref": "1#/city_id"}, "check_in": "2026-05-14", "nights": 3},
            {"hotels": [{"hotel_id": "HT-5512", "name": "Casa do Rio", "rate": 96}]},
        ),
        Step(
            "get_weather_forecast",
            {"city_id": {"$ref": "1#/city_id"}, "date": "2026-05-14"},
            {"summary": "sunny", "high": 24},
        ),
        Step(
            "book_flight",
            {"offer_id": {"$ref": "2#/offers/0/offer_id"}, "passenger": "Mara Olsen"},
            {"booking": "FB-70316", "status": "confirmed"},
        ),
        Step(
            "book_hotel",
            {
                "hotel_id": {"$ref": "3#/hotels/0/hotel_id"},
                "guest": "Mara Olsen",
                "check_in": "2026-05-14",
                "nights": 3,
            },
            {"booking": "HB-40127", "status": "confirmed"},
        ),
        Step(
            "create_itinerary",
            {
                "flight_booking": {"$ref": "5#/booking"},
                "hotel_booking": {"$ref": "6#/booking"},
                "title": "Lisbon in May",
                "note": {"$concat": ["Weather: ", {"$ref": "4#/summary"}]},
            },
            {"itinerary_id": "IT-9034"},
        ),
        Step(
            "share_itinerary",
            {"itinerary_id": {"$ref": "7#/itinerary_id"}, "email": "tom.reed@example.com"},
            {"sent": True},
        ),
    )
    query = (
        "Plan three nights in Lisbon from 2026-05-14: a flight from Berlin and a hotel for "
        "Mara Olsen, with the weather. Make an itinerary called Lisbon in May and share it "
        "with tom.reed@example.com."
    )
    return sample_plan(query, tools, steps)


@cache
def order() -> CleanPlan:
    """A purchase: six calls in four rounds, with numbers, dates and values worked out."""
    tools = (
        sample_tool(
            "get_product",
            "Get a product's price and stock by its name.",
            product_name="string",
        ),
        sample_tool(
            "get_customer",
            "Get a customer's address and tier by e-mail.",
            email="email",
        ),
        sample_tool(
            "get_discount",
            "Get the discount of a customer tier.",
            tier=["silver", "gold"],
        ),
        sample_tool(
            "estimate_delivery",
            "Estimate the delivery day of a product to an address.",
            sku="string",
            zip_code="string",
            express="boolean?",
        ),
        sample_tool(
            "estimate_return",
            "Estimate the refund day of a product sent back from an address.",
            sku="string",
            zip_code="string",
        ),
        sample_tool(
            "place_order",
            "Place an order of a product for a customer.",
            sku="string",
            quantity={"type": "integer", "minimum": 1},
            total="number",
            deliver_on="date?",
        ),
        sample_tool(
            "send_receipt",
            "Send the receipt of an order by e-mail.",
            order_id="string",
            email="email",
            lines={"type": "array", "items": {"type": "string"}, "optional": True},
        ),
    )
    steps = (
        Step(
            "get_product",
            {"product_name": "Desk lamp"},
            {"sku": "DL-3300", "price": 42.5, "stock": 18, "tags": ["home", "light"]},
        ),
        Step(
            "get_customer",
            {"email": "ines.duarte@example.com"},
            {"tier": "gold", "zip": "10178", "express": True},
        ),
        Step("get_discount", {"tier": {"$ref": "2#/tier"}}, {"percent": 10}),
        Step(
            "estimate_delivery",
            {
                "sku": {"$ref": "1#/sku"},
                "zip_code": {"$ref": "2#/zip"},
                "express": {"$ref": "2#/express"},
            },
            {"day": "2026-03-09"},
        ),
        Step(
            "place_order",
            {
                "sku": {"$ref": "1#/sku"},
                "quantity": 2,
                "total": {"$computed": [{"$ref": "1#/price"}, {"$ref": "3#/percent"}]},
                "deliver_on": {"$ref": "4#/day"},
            },
            {"order_id": "ORD-66120", "status": "placed"},
            worked_out={"/total": 76.5},
        ),
        Step(
            "send_receipt",
            {
                "order_id": {"$ref": "5#/order_id"},
                "email": "ines.duarte@example.com",
                "lines": {"$ref": "1#/tags"},
            },
            {"sent": True},
        ),
    )
    query = (
        "Order two desk lamps for ines.duarte@example.com with the discount of the tier, say "
        "when they arrive, and send the receipt."
    )
    return sample_plan(query, tools, steps)


@cache
def evening() -> CleanPlan:
    """An evening out: five calls, most of which could run at once."""
    tools = (
        sample_tool(
            "find_restaurants",
            "Find restaurants near an address.",
            address="string",
            cuisine="string?",
        ),
        sample_tool("find_cinemas", "Find cinemas near an address.", address="string"),
        sample_tool("find_bars", "Find bars near an address.", address="string"),
        sample_tool(
            "reserve_table",
            "Reserve a table at a restaurant.",
            restaurant_id="string",
            time="string",
            guests="integer",
        ),
        sample_tool("buy_tickets", "Buy tickets for a film.", film_id="string", seats="integer"),
        sample_tool(
            "refund_tickets", "Refund tickets of a film.", film_id="string", seats="integer"
        ),
        sample_tool(
            "send_invitation",
            "Send an invitation with a text to a phone number.",
            phone="string",
            text="string",
        ),
    )
    steps = (
        Step(
            "find_restaurants",
            {"address": "12 Mill Lane", "cuisine": "thai"},
            [{"restaurant_id": "R-118", "name": "Lotus"}],
        ),
        Step(
            "find_cinemas",
            {"address": "12 Mill Lane"},
            [{"film_id": "F-2207", "title": "Night Train"}],
        ),
        Step(
            "reserve_table",
            {"restaurant_id": {"$ref": "1#/0/restaurant_id"}, "time": "18:30", "guests": 2},
            {"reservation": "TB-901"},
        ),
        Step(
            "buy_tickets",
            {"film_id": {"$ref": "2#/0/film_id"}, "seats": 2},
            {"order": "TK-4471", "status": "paid"},
        ),
        Step(
            "send_invitation",
            {
                "phone": "+49 30 5550 1234",
                "text": {
                    "$concat": [
                        "Table ",
                        {"$ref": "3#/reservation"},
                        ", film ",
                        {"$ref": "4#/order"},
                    ]
                },
            },
            "delivered",
        ),
    )
    query = (
        "Near 12 Mill Lane: a table for 2 at a thai restaurant at 18:30, 2 cinema tickets, and "
        "an invitation to +49 30 5550 1234."
    )
    return sample_plan(query, tools, steps)


SAMPLES = (trip, order, evening)
