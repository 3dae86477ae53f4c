"""Sample plans whose arguments are of many sorts, for the parameter kinds."""

from __future__ import annotations

from functools import cache

from plan.clean import CleanPlan
from taxonomy.examples import Step, sample_plan, sample_tool


@cache
def delivery() -> CleanPlan:
    """A parcel: four calls in three rounds, with nested arguments, an id and choices."""
    tools = (
        sample_tool(
            "schedule_pickup",
            "Schedule the pickup of a parcel.",
            parcel_id={"type": "string", "description": "Parcel id, e.g. PCL-100200"},
            service=["standard", "next_day", "same_day"],
            window={
                "type": "object",
                "properties": {
                    "start_date": {"type": "string", "format": "date"},
                    "end_date": {"type": "string", "format": "date"},
                },
            },
            weight_kg={"type": "number", "minimum": 0.1, "maximum": 30},
            fragile="boolean",
            labels={"type": "array", "items": {"type": "string"}, "optional": True},
        ),
        sample_tool(
            "track_parcel",
            "Track a parcel by its id.",
            parcel_id="string",
            language_code="string?",
        ),
        sample_tool(
            "notify_recipients",
            "Send a text about a parcel to several people.",
            recipients={
                "type": "array",
                "description": "E-mail addresses",
                "items": {"type": "string", "format": "email"},
            },
            pickup_code="string",
            send_at="date-time",
            phone_number="string?",
        ),
        sample_tool(
            "insure_parcel",
            "Insure a parcel for an amount.",
            parcel_id="string",
            price="number",
            currency="string",
            discount_percent={"type": "number", "minimum": 0, "maximum": 100},
        ),
    )
    steps = (
        Step(
            "schedule_pickup",
            {
                "parcel_id": "PCL-204417",
                "service": "next_day",
                "window": {"start_date": "2026-06-09", "end_date": "2026-06-12"},
                "weight_kg": 4.5,
                "fragile": True,
                "labels": ["glass", "this side up"],
            },
            {"pickup_code": "PK-7120", "status": "planned"},
        ),
        Step(
            "insure_parcel",
            {
                "parcel_id": "PCL-204417",
                "price": 240.5,
                "currency": "CHF",
                "discount_percent": 15,
            },
            {"policy": "IN-55120"},
        ),
        Step(
            "notify_recipients",
            {
                "recipients": ["ruth.adeyemi@example.com", "k.sato@post.example.net"],
                "pickup_code": {"$ref": "1#/pickup_code"},
                "send_at": "2026-06-08T17:45:00Z",
                "phone_number": "+1 202 555 0148",
            },
            {"sent": 2},
        ),
        Step(
            "track_parcel",
            {"parcel_id": "PCL-204417", "language_code": "de"},
            {"state": "waiting for pickup"},
            after=("3",),
        ),
    )
    query = (
        "Have parcel PCL-204417 (4.5 kg of glass, this side up) picked up next day between "
        "2026-06-09 and 2026-06-12, insure it for 240.5 CHF with my discount of 15, tell Ruth "
        "and K. Sato on the evening of 2026-06-08, and then track it in German."
    )
    return sample_plan(query, tools, steps)


@cache
def viewing() -> CleanPlan:
    """A flat: three calls in two rounds, with places, codes, addresses and limits."""
    tools = (
        sample_tool(
            "search_homes",
            "Search homes around a place.",
            latitude="number",
            longitude="number",
            radius_km={"type": "number", "minimum": 0.5, "maximum": 50},
            min_price="integer",
            max_price="integer",
            currency={"type": "string", "description": "ISO 4217 code"},
            country_code="string",
            bedrooms="integer?",
        ),
        sample_tool(
            "request_brochure",
            "Request the brochure of a page.",
            url="uri",
            ip_address={"type": "string", "format": "ipv4"},
            file_path="string",
            timezone="string?",
        ),
        sample_tool(
            "book_viewing",
            "Book the viewing of a home.",
            home_id="string",
            viewing_date="date",
            start_time={"type": "string", "pattern": "^([01]\\d|2[0-3]):[0-5]\\d$"},
            visitors="integer",
        ),
    )
    steps = (
        Step(
            "search_homes",
            {
                "latitude": 48.2082,
                "longitude": 16.3738,
                "radius_km": 5,
                "min_price": 900,
                "max_price": 1400,
                "currency": "EUR",
                "country_code": "AT",
                "bedrooms": 2,
            },
            {"homes": [{"home_id": "HM-4471", "rent": 1180}]},
        ),
        Step(
            "request_brochure",
            {
                "url": "https://homes.example.com/offers/4471",
                "ip_address": "10.24.7.31",
                "file_path": "/downloads/flat_4471.pdf",
                "timezone": "Europe/Vienna",
            },
            {"saved": True},
        ),
        Step(
            "book_viewing",
            {
                "home_id": {"$ref": "1#/homes/0/home_id"},
                "viewing_date": "2026-09-18",
                "start_time": "16:15",
                "visitors": 3,
            },
            {"viewing": "VW-2209"},
        ),
    )
    query = (
        "Find a flat with 2 bedrooms for 900 to 1400 euros within 5 km of 48.2082, 16.3738, get "
        "the brochure of offer 4471 and book a viewing for 3 on 2026-09-18 at 16:15."
    )
    return sample_plan(query, tools, steps)
