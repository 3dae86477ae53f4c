"""A clean plan that people can read: find a hotel, book it, tell the guest."""

from plan.clean import Call, CleanPlan, Edge
from plan.json_text import Json
from plan.tool import Tool


def tool(name: str, description: str, required: list[str], **properties: Json) -> Tool:
    return Tool(
        name,
        description,
        {"type": "object", "properties": properties, "required": required},
    )


STRING = {"type": "string"}
TOOLS = {
    made.name: made
    for made in (
        tool("find_hotel", "Find a hotel.", ["city"], city=STRING, nights={"type": "integer"}),
        tool("get_weather", "Get the weather.", ["city"], city=STRING),
        tool("book_room", "Book a room.", ["hotel_id", "nights"], hotel_id=STRING,
             nights={"type": "integer", "minimum": 1}),
        tool("send_email", "Send an e-mail.", ["to", "body"], to=STRING, body=STRING),
    )
}  # fmt: skip


def trip() -> CleanPlan:
    """1 and 2 run together, 3 uses 1, 4 uses 2 and 3; 3's price is worked out."""
    hotel = {"hotel_id": "HT-4412", "price": 80}
    booking = {"booking": "BK-9031", "total": 160}
    return CleanPlan(
        "Two nights in Porto, please, and mail the details to ada@example.com.",
        TOOLS,
        {
            "1": Call("1", 1, "find_hotel", {"city": "Porto", "nights": 2},
                      {"city": "Porto", "nights": 2}, "Find a hotel.", ("root",), hotel),
            "2": Call("2", 1, "get_weather", {"city": "Porto"}, {"city": "Porto"},
                      "Get the weather.", ("root",), {"sky": "clear", "high": 24}),
            "3": Call("3", 2, "book_room",
                      {"hotel_id": {"$ref": "1#/hotel_id"}, "nights": 2},
                      {"hotel_id": "HT-4412", "nights": 2}, "Book a room.", ("1",), booking),
            "4": Call("4", 3, "send_email",
                      {"to": "ada@example.com",
                       "body": {"$computed": [{"$ref": "3#/booking"}, {"$ref": "2#/sky"}]}},
                      {"to": "ada@example.com", "body": "BK-9031, skies are clear"},
                      "Send an e-mail.", ("2", "3"), {"sent": True}),
        },
        (
            Edge("1", "3", "data", "/hotel_id", "/hotel_id"),
            Edge("3", "4", "computed", "/body", "/booking"),
            Edge("2", "4", "computed", "/body", "/sky"),
        ),
    )  # fmt: skip
