"""Shops: products, carts, orders, parcels and returns."""

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
from source_button.synthesis.scene import Scene

_BRANDS = (
    "Nordkap",
    "Lumo",
    "Pebble",
    "Aria",
    "Fjell",
    "Cotta",
    "Volt",
    "Sisu",
    "Terra",
    "Brio",
    "Halden",
    "Tempo",
    "Kite",
    "Mira",
    "Solveig",
    "Oakline",
)


def _name_product(scene: Scene) -> str:
    kind = scene.arguments.get("keyword", "travel mug").title()
    return f"{scene.take(_BRANDS)} {kind} {scene.whole(2, 9)}{scene.pick(('0', '1', 'X', 'S'))}"


_PRODUCT = f.record(
    "A product",
    product_id=f.ident("Product id", "SKU", 5),
    name=f.template("Product name", _name_product),
    price=f.price("Price in US dollars", 18, 240),
    rating=f.number("Customers' rating", 3.1, 4.9, 1, minimum=0, maximum=5),
    in_stock=f.integer("Pieces in stock", 3, 240),
)  # fmt: skip

_PROBLEM = (
    "arrived with a broken lid",
    "is the wrong colour",
    "stopped working after two days",
    "is a size too small",
    "was delivered with parts missing",
)

DOMAIN = Domain(
    name="shopping",
    openings=(
        "I've been putting this purchase off for weeks.",
        "I'm sorting out my online orders this morning.",
        "A friend's birthday is coming up and I want to order something.",
        "I shop with you quite often and need a hand.",
        "Something with my last order needs attention, and I want to buy something too.",
    ),
    slots={
        "store_place": f.choice(
            "Place of the store", "Riverside", "Market Hall", "Central Station", "Harbour Mile"
        ),
        "customer_email": f.email("Customer's address", "customer_name"),
        "delivery_address": f.address(),
        "keyword": f.choice(
            "Search words",
            "running shoes",
            "desk lamp",
            "noise-cancelling headphones",
            "rain jacket",
            "travel tripod",
            "wool blanket",
            "hand blender",
            "e-reader",
        ),
    },
    facts={
        "customer_email": (
            "My account is under {customer_email}.",
            "I'm registered as {customer_email}.",
        ),
        "delivery_address": ("I live at {delivery_address}.", "Deliver to {delivery_address}."),
    },
    tools=(
        tool(
            "search_products",
            "Search the shop's products by keyword.",
            {
                "keyword": f.choice("Search words", "shoes"),
                "max_price": f.opt(f.budget("Highest price in US dollars", 100, 400)),
                "sort_by": f.opt(f.enum("Order of results", "price", "rating", "newest")),
                "limit": f.opt(f.count("Number of results", 3, 10, 50)),
            },
            products=f.rows("Products found", _PRODUCT),
        ),
        tool(
            "search_stores",
            "Search the chain's stores near an address.",
            {
                "keyword": f.choice("Part of the store's name", "outlet"),
                "limit": f.opt(f.count("Number of results", 3, 10, 50)),
            },
            store_id=f.ident("Store id", "STO", 4),
            phone=f.phone(),
        ),
        tool(
            "get_product_details",
            "Get material, warranty and dimensions of a product.",
            {"product_id": f.ident("Product id", "SKU", 5)},
            product_id=f.echo("product_id"),
            warranty_months=f.integer("Warranty in months", 12, 36),
            weight_grams=f.integer("Weight in grams", 180, 4200),
            manual_url=f.url("Manual", "https://docs.shop.example.com/manuals/{}.pdf", "m"),
        ),
        tool(
            "get_product_reviews",
            "Get the summary of customers' reviews of a product.",
            {"product_id": f.ident("Product id", "SKU", 5)},
            product_id=f.echo("product_id"),
            average=f.number("Average stars", 3.2, 4.9, 2, minimum=1, maximum=5),
            review_count=f.integer("Number of reviews", 37, 1960),
            praise=f.unique(
                "What people praise",
                "sturdy build",
                "good value",
                "easy to clean",
                "light and compact",
                "looks better than in the pictures",
            ),
        ),
        tool(
            "rank_products",
            "Rank products by their reviews and name the best.",
            {
                "candidates": f.array_of("Review summaries", f.record("A review summary")),
                "prefer": f.opt(f.enum("What matters most", "quality", "popularity")),
            },
            winner=f.selected("The best candidate", "candidates", "max average"),
            candidates_considered=f.calc(
                {"type": "integer", "description": "How many were compared"},
                lambda s: len(s.arguments["candidates"]),
            ),
        ),
        tool(
            "add_to_cart",
            "Put a product into a new shopping cart.",
            {
                "product_id": f.ident("Product id", "SKU", 5),
                "quantity": f.count("Number of pieces", 2, 4, 20),
            },
            cart_id=f.code("Cart id", "cart_", 8),
            subtotal=f.calc(
                {"type": "string", "description": "Cost of the cart with tax"},
                lambda s: f.as_dollars(
                    f.known(s, "product.price", 49.9) * s.arguments["quantity"] * 1.07 + 0.03
                ),
            ),
        ),
        tool(
            "add_to_wishlist",
            "Put a product on the wish list.",
            {
                "product_id": f.ident("Product id", "SKU", 5),
                "quantity": f.opt(f.count("Number of pieces wished for", 2, 4, 20)),
            },
            wishlist_item_id=f.ident("Entry of the list", "WSH"),
            share_link=f.url("Link to the list", "https://shop.example.com/w/{}", "w"),
        ),
        tool(
            "apply_coupon",
            "Apply a coupon code to a cart.",
            {
                "cart_id": f.code("Cart id", "cart_", 8),
                "coupon_code": f.template(
                    "Coupon code", lambda s: f"SAVE{s.whole(11, 29)}{s.pick('ABXK')}"
                ),
            },
            discount=f.price("Discount in US dollars", 3, 18),
            valid_until=f.moment("Until when it holds", 1, 9),
        ),
        tool(
            "place_order",
            "Turn a cart into an order that is sent to an address.",
            {
                "cart_id": f.code("Cart id", "cart_", 8),
                "delivery_address": f.address("Where it is sent"),
                "gift_wrap": f.opt(f.boolean("Whether to wrap it as a gift")),
            },
            order_id=f.ident("Order id", "ORD"),
            grand_total=f.template(
                "Total with delivery",
                lambda s: f.as_dollars(
                    f.known(s, "cart.subtotal", 88.0) + s.whole(399, 1499) / 100
                ),
            ),
            estimated_delivery=f.date("Estimated day of delivery", 3, 9),
        ),
        tool(
            "get_order",
            "Get one order with its payment and delivery state.",
            {"order_id": f.ident("Order id", "ORD")},
            order_id=f.echo("order_id"),
            state=f.enum("State", "paid", "packed", "shipped"),
            tracking_number=f.ident("Tracking number of the parcel", "PKG", 9),
        ),
        tool(
            "get_order_history",
            "List a customer's latest orders.",
            {
                "customer_email": f.email("Customer's address"),
                "limit": f.opt(f.count("Number of orders", 3, 9, 100)),
            },
            orders=f.rows(
                "Orders, newest first",
                f.record(
                    "An order",
                    order_id=f.ident("Order id", "ORD"),
                    ordered_on=f.past_date("Day of the order"),
                    total=f.price("Total in US dollars", 21, 460),
                    item=f.unique(
                        "First item",
                        "coffee grinder",
                        "bike helmet",
                        "bookshelf",
                        "garden hose",
                        "table fan",
                        "office chair",
                        "tea set",
                    ),
                ),
            ),
        ),
        tool(
            "track_parcel",
            "Follow a parcel by its tracking number.",
            {"tracking_number": f.ident("Tracking number", "PKG", 9)},
            location=f.unique(
                "Where it is",
                "Leipzig hub",
                "Memphis sorting centre",
                "Lyon depot",
                "Rotterdam terminal",
                "local delivery base",
            ),
            expected_at=f.moment("Expected arrival", 1, 5),
            courier_phone=f.phone("Courier's phone number"),
        ),
        tool(
            "request_return",
            "Ask to send an order back.",
            {
                "order_id": f.ident("Order id", "ORD"),
                "reason": f.choice("What is wrong", *_PROBLEM),
            },
            return_id=f.ident("Return id", "RET"),
            label_url=f.url("Label to print", "https://returns.example.com/label/{}", "L", 8),
            refund_amount=f.calc(
                {"type": "string", "description": "Refund after the return fee"},
                lambda s: f.as_dollars(max(9.37, f.known(s, "past_order.total", 60.0) - 4.95)),
            ),
        ),
        tool(
            "request_exchange",
            "Ask to exchange an order for the same product.",
            {
                "order_id": f.ident("Order id", "ORD"),
                "reason": f.choice("What is wrong", *_PROBLEM),
            },
            exchange_id=f.ident("Exchange id", "EXC"),
            ships_on=f.date("Day of dispatch", 2, 6),
        ),
        tool(
            "schedule_pickup",
            "Have a courier collect a return at an address.",
            {
                "return_id": f.ident("Return id", "RET"),
                "delivery_address": f.address("Where to collect it"),
                "pickup_date": f.date("Day of collection, YYYY-MM-DD", 3, 12),
            },
            pickup_id=f.ident("Pick-up id", "PUP"),
            window_start=f.moment("Start of the time window", on="pickup_date"),
        ),
    ),
    entities=(
        Entity("product", ("{name} for ${price}",), "price"),
        Entity("product_review"),
        Entity("winner"),
        Entity("cart", ("cart {cart_id} with {subtotal}",), "subtotal", noun="cart total"),
        Entity(
            "order",
            ("order {order_id} over {grand_total}",),
            "grand_total",
            "estimated_delivery",
            "order",
            "delivery of the order",
        ),
        Entity("order_state", ("parcel number {tracking_number}",), noun="tracking number"),
        Entity(
            "parcel",
            ("the parcel is at {location}, due {expected_at}",),
            None,
            "expected_at",
            "parcel",
            "arrival of the parcel",
        ),
        Entity(
            "past_order",
            ("order {order_id} of {ordered_on} ({item})",),
            "total",
            noun="earlier order",
        ),
        Entity(
            "return", ("return {return_id}, label at {label_url}",), "refund_amount", noun="return"
        ),
        Entity(
            "pickup", ("pick-up {pickup_id} from {window_start}",), None, "window_start", "pick-up"
        ),
        Entity("store", ("store {store_id}, phone {phone}",), noun="nearest store"),
        Entity(
            "exchange",
            ("exchange {exchange_id}",),
            None,
            "ships_on",
            "exchange",
            "dispatch of the exchange",
        ),
        Entity("sent_back"),
    ),
    twins=(
        ("search_products", "search_stores"),
        ("get_order", "get_order_history"),
        ("get_product_details", "get_product_reviews"),
        ("add_to_cart", "add_to_wishlist"),
        ("request_return", "request_exchange"),
    ),
    steps=(
        step(
            "search_products",
            (
                "search for {keyword}[ up to {max_price}][ sorted by {sort_by}]",
                "find {keyword} in the shop[ for at most {max_price}][, sorted by {sort_by}]",
            ),
            (
                "{name} at ${price} has the best rating ({rating}).",
                "The best rated one is {name} for ${price}.",
            ),
            gives("product", "/products/*", "max rating"),
            weight=2,
        ),
        step(
            "get_product_details",
            (
                "look up the warranty of the best rated product",
                "check the details of the best rated one",
            ),
            ("It has {warranty_months} months of warranty; the manual is at {manual_url}.",),
            product_id=ref("product.product_id"),
        ),
        step(
            "get_product_reviews",
            ("read what customers say about the {lanes} best rated ones",),
            ("{product_id} has {average} stars from {review_count} reviews ({praise}).",),
            gives("product_review"),
            each="product",
            product_id=ref("product.product_id"),
        ),
        step(
            "rank_products",
            (
                "pick the winner among them[, with {prefer} first]",
                "decide which of these is best[, mainly by {prefer}]",
            ),
            ("{winner.product_id} wins with {winner.average} stars.",),
            gives("winner", "/winner"),
            candidates=every("product_review"),
        ),
        step(
            "add_to_cart",
            ("put {quantity} of the winner into the cart",),
            ("Cart {cart_id} comes to {subtotal}.",),
            gives("cart"),
            product_id=ref("winner.product_id"),
            weight=2,
        ),
        step(
            "add_to_cart",
            (
                "put {quantity} of the best rated one into a cart",
                "add {quantity} pieces of the best rated one to the cart",
            ),
            ("Cart {cart_id} comes to {subtotal}.",),
            gives("cart"),
            product_id=ref("product.product_id"),
        ),
        step(
            "add_to_wishlist",
            ("put the best rated one on the wish list",),
            ("It is on the wish list as {wishlist_item_id}.",),
            product_id=ref("product.product_id"),
            weight=0.6,
        ),
        step(
            "apply_coupon",
            ("apply the coupon[ {coupon_code}] to the cart",),
            ("The coupon takes ${discount} off.",),
            changes="cart",
            cart_id=ref("cart.cart_id"),
        ),
        step(
            "place_order",
            (
                "order it[ to {delivery_address}]",
                "place the order[ for delivery to {delivery_address}]",
            ),
            ("Order {order_id} is placed for {grand_total}, due on {estimated_delivery}.",),
            gives("order"),
            reads="cart",
            cart_id=ref("cart.cart_id"),
            weight=2,
        ),
        step(
            "get_order",
            ("check the state of the new order", "get the tracking number of the new order"),
            ("It is {state}, tracking number {tracking_number}.",),
            gives("order_state"),
            order_id=ref("order.order_id"),
        ),
        step(
            "get_order_history",
            (
                "look up my last orders[ under {customer_email}]",
                "find my recent orders[ ({customer_email})]",
            ),
            ("The latest order is {order_id} ({item}).",),
            gives("past_order", "/orders/*"),
            weight=2,
        ),
        step(
            "get_order",
            ("check the state of the latest one", "find out how far the latest order is"),
            ("It is {state}, tracking number {tracking_number}.",),
            gives("order_state"),
            order_id=ref("past_order.order_id"),
        ),
        step(
            "get_order",
            ("check the state of the {lanes} latest orders",),
            ("{order_id} is {state} ({tracking_number}).",),
            gives("order_state"),
            each="past_order",
            order_id=ref("past_order.order_id"),
        ),
        step(
            "track_parcel",
            ("see where the parcel is", "track the parcel"),
            ("It is at {location}, expected {expected_at}.",),
            gives("parcel"),
            tracking_number=ref("order_state.tracking_number"),
        ),
        step(
            "request_return",
            (
                "return the latest order because it {reason}",
                "start a return for it, as it {reason}",
            ),
            ("Return {return_id} is open; {refund_amount} will come back.",),
            gives("return"),
            gives("sent_back"),
            order_id=ref("past_order.order_id"),
            weight=1.5,
        ),
        step(
            "schedule_pickup",
            ("have it collected[ at {delivery_address}] on {pickup_date}",),
            ("The courier comes from {window_start} on ({pickup_id}).",),
            gives("pickup"),
            return_id=ref("return.return_id"),
        ),
        step(
            "search_stores",
            ("find the chain's stores around {store_place}",),
            ("Store {store_id} answers at {phone}.",),
            gives("store"),
            keyword=slot("store_place"),
            weight=2,
        ),
        step(
            "request_exchange",
            (
                "exchange the latest order because it {reason}",
                "ask for an exchange of it, as it {reason}",
            ),
            ("Exchange {exchange_id} ships on {ships_on}.",),
            gives("exchange"),
            gives("sent_back"),
            order_id=ref("past_order.order_id"),
            weight=1.5,
        ),
    ),
)
