"""Flats and houses: searching, viewing, offers, mortgages and leases."""

from __future__ import annotations

from source_button.synthesis import fields as f
from source_button.synthesis.model import (
    Domain,
    Entity,
    const,
    gives,
    ref,
    share,
    slot,
    step,
    text,
    tool,
)

_LISTING = f.record(
    "A listing",
    listing_id=f.ident("Listing id", "LST"),
    address=f.address("Address of the home"),
    monthly_rent=f.price("Monthly rent in US dollars", 780, 3200),
    size_sqm=f.integer("Size in square metres", 31, 140),
    latitude=f.latitude(),
    longitude=f.longitude(),
)

DOMAIN = Domain(
    name="real_estate",
    openings=(
        "Our lease runs out soon and we need a new place.",
        "I'm relocating for a new job.",
        "We're expecting a second child and our flat has become too small.",
        "I'm helping my daughter find her first apartment.",
    ),
    slots={
        "tenant": f.person(),
        "tenant_email": f.email("Tenant's address", "tenant"),
        "city": f.city("City of the home"),
        "neighbourhood": f.unique(
            "Neighbourhood",
            "Old Town",
            "Harbour District",
            "Linden Park",
            "Northgate",
            "Mill Quarter",
            "Riverside",
            "University Hill",
        ),
    },
    facts={
        "tenant": ("The tenant would be {tenant}.", "The name for the contract is {tenant}."),
        "tenant_email": ("My e-mail is {tenant_email}.", "I can be reached at {tenant_email}."),
    },
    tools=(
        tool(
            "search_rentals",
            "Search homes for rent in a city.",
            {
                "city": f.city("City of the home"),
                "max_rent": f.budget("Highest monthly rent in US dollars", 1200, 3200, 100),
                "min_rooms": f.opt(f.count("Least number of rooms", 2, 4, 12)),
                "pets_allowed": f.opt(f.boolean("Whether pets must be allowed")),
            },
            listings=f.rows("Homes found", _LISTING),
        ),
        tool(
            "search_homes_for_sale",
            "Search homes for sale in a city.",
            {
                "city": f.city("City of the home"),
                "max_price": f.budget("Highest price in US dollars", 220000, 780000, 10000),
                "min_rooms": f.opt(f.count("Least number of rooms", 2, 4, 12)),
            },
            homes=f.rows(
                "Homes found",
                f.record(
                    "A home for sale",
                    home_id=f.ident("Home id", "HOM"),
                    address=f.address("Address"),
                    asking_price=f.price("Asking price in US dollars", 190000, 700000),
                    built=f.integer("Year of construction", 1931, 2021),
                ),
            ),
        ),
        tool(
            "get_listing_details",
            "Get condition, costs and agent of a home for rent.",
            {"listing_id": f.ident("Listing id", "LST")},
            listing_id=f.echo("listing_id"),
            agent_name=f.person("Agent"),
            agent_email=f.email("Agent's address"),
            deposit=f.price("Deposit in US dollars", 900, 5200),
            available_from=f.date("First day", 10, 50),
        ),
        tool(
            "get_listing_photos",
            "Get the pictures of a home for rent.",
            {"listing_id": f.ident("Listing id", "LST")},
            listing_id=f.echo("listing_id"),
            album_url=f.url("Album", "https://homes.example.com/album/{}"),
        ),
        tool(
            "get_commute_time",
            "Work out the way between a home's coordinates and a workplace.",
            {
                "latitude": f.latitude(),
                "longitude": f.longitude(),
                "workplace": f.address("Address of the workplace"),
                "mode": f.opt(f.enum("Means of transport", "transit", "car", "bicycle")),
            },
            minutes=f.integer("Time in minutes", 12, 74),
            distance_km=f.number("Distance in kilometres", 1.4, 38.9, 2),
        ),
        tool(
            "get_neighbourhood_report",
            "Get schools, noise and safety around coordinates.",
            {
                "latitude": f.latitude(),
                "longitude": f.longitude(),
                "radius_m": f.opt(f.integer("Radius in metres", 400, 2000)),
            },
            report_id=f.ident("Report id", "NBR"),
            noise_db=f.number("Noise by night in decibels", 31.2, 62.9),
            schools=f.integer("Schools nearby", 2, 17),
        ),
        tool(
            "schedule_viewing",
            "Arrange a viewing of a home for rent.",
            {
                "listing_id": f.ident("Listing id", "LST"),
                "date": f.date("Day, YYYY-MM-DD", 3, 20),
                "time": f.clock("Time, HH:MM", 9, 18),
                "visitor_name": f.person("Who comes"),
            },
            viewing_id=f.ident("Viewing id", "VWG"),
            meeting_point=f.choice(
                "Where to meet", "front door", "agent's office", "courtyard gate"
            ),
            confirmed_for=f.moment("Confirmed time", on="date"),
        ),
        tool(
            "request_callback",
            "Ask the agent of a home to call back.",
            {
                "listing_id": f.ident("Listing id", "LST"),
                "visitor_name": f.person("Who is to be called"),
                "date": f.opt(f.date("Day, YYYY-MM-DD", 3, 20)),
            },
            callback_id=f.ident("Callback id", "CBK"),
        ),
        tool(
            "submit_rental_application",
            "Apply for a home for rent.",
            {
                "listing_id": f.ident("Listing id", "LST"),
                "applicant": f.person("Applicant"),
                "email": f.email("Applicant's address"),
                "deposit_offered": f.opt(f.price("Deposit offered in US dollars", 900, 5200)),
            },
            application_id=f.ident("Application id", "RAP"),
            reply_by=f.date("Day of the reply", 5, 20),
        ),
        tool(
            "draft_lease",
            "Draw up a lease for an application.",
            {
                "application_id": f.ident("Application id", "RAP"),
                "start_date": f.date("First day of the lease, YYYY-MM-DD", 25, 60),
                "term_months": f.count("Length in months", 12, 36, 120),
            },
            lease_path=f.file_path("Draft of the lease", "/leases/draft-{}.docx"),
            sign_by=f.date("Last day to sign", 15, 24),
        ),
        tool(
            "estimate_mortgage",
            "Estimate the mortgage for a home's price.",
            {
                "home_price": f.price("Price in US dollars", 190000, 700000),
                "down_payment_percent": f.percent("Own money in percent", 10, 35),
                "years": f.count("Term in years", 15, 30, 40),
            },
            monthly_rate=f.price("Monthly rate in US dollars", 940, 3900),
            quote_id=f.ident("Quote id", "MTQ"),
            quote_valid_until=f.date("Last day of the quote", 10, 30),
        ),
        tool(
            "estimate_property_tax",
            "Estimate the yearly tax for a home's price.",
            {
                "home_price": f.price("Price in US dollars", 190000, 700000),
                "years": f.opt(f.count("Years ahead", 2, 5, 40)),
            },
            yearly_tax=f.price("Tax a year in US dollars", 1900, 8900),
        ),
        tool(
            "make_purchase_offer",
            "Make an offer for a home for sale.",
            {
                "home_id": f.ident("Home id", "HOM"),
                "offer_amount": f.price("Offer in US dollars", 180000, 690000),
                "financing_quote": f.opt(f.ident("Mortgage quote", "MTQ")),
                "buyer": f.person("Buyer"),
            },
            offer_id=f.ident("Offer id", "BID"),
            answer_due=f.date("Day of the answer", 4, 14),
        ),
    ),
    entities=(
        Entity(
            "listing",
            ("the flat at {address} for ${monthly_rent} a month",),
            "monthly_rent",
            noun="cheapest flat",
        ),
        Entity(
            "listing_details",
            ("deposit ${deposit}, free from {available_from}, agent {agent_name}",),
            "deposit",
            "available_from",
            "flat's conditions",
            "move-in day",
        ),
        Entity("commute", ("{distance_km} km to work ({minutes} minutes)",), noun="commute"),
        Entity(
            "area",
            ("neighbourhood report {report_id} ({noise_db} dB by night)",),
            noun="neighbourhood report",
        ),
        Entity(
            "viewing",
            ("viewing {viewing_id} at {confirmed_for}",),
            None,
            "confirmed_for",
            "viewing",
        ),
        Entity(
            "application",
            ("rental application {application_id}",),
            None,
            "reply_by",
            "rental application",
            "reply to the application",
        ),
        Entity(
            "lease",
            ("the lease draft {lease_path}",),
            None,
            "sign_by",
            "lease",
            "last day to sign the lease",
        ),
        Entity(
            "home",
            ("the house at {address} for ${asking_price}",),
            "asking_price",
            noun="cheapest house",
        ),
        Entity(
            "mortgage",
            ("mortgage quote {quote_id} at ${monthly_rate} a month",),
            "monthly_rate",
            "quote_valid_until",
            "mortgage quote",
            "end of the mortgage quote",
        ),
        Entity("tax", ("${yearly_tax} of property tax a year",), "yearly_tax", noun="property tax"),
        Entity(
            "bid",
            ("purchase offer {offer_id}",),
            None,
            "answer_due",
            "purchase offer",
            "answer to the offer",
        ),
    ),
    twins=(
        ("search_rentals", "search_homes_for_sale"),
        ("get_listing_details", "get_listing_photos"),
        ("get_commute_time", "get_neighbourhood_report"),
        ("schedule_viewing", "request_callback"),
        ("estimate_mortgage", "estimate_property_tax"),
    ),
    steps=(
        step(
            "search_rentals",
            (
                "find flats for rent in {city} up to {max_rent} a month[ with at least "
                "{min_rooms} rooms]",
                "look for a place to rent in {city} for no more than {max_rent}[, {min_rooms} "
                "rooms or more]",
            ),
            ("The cheapest is at {address} for ${monthly_rent}.",),
            gives("listing", "/listings/*", "min monthly_rent"),
            weight=2,
        ),
        step(
            "get_listing_details",
            (
                "get the conditions of the cheapest flat",
                "check deposit and agent of the cheapest one",
            ),
            (
                "The deposit is ${deposit}, {agent_name} is the agent, and it is free from "
                "{available_from}.",
            ),
            gives("listing_details"),
            listing_id=ref("listing.listing_id"),
            weight=1.5,
        ),
        step(
            "get_listing_photos",
            ("get the pictures of the {lanes} cheapest flats",),
            ("The pictures are at {album_url}.",),
            each="listing",
            listing_id=ref("listing.listing_id"),
            weight=0.8,
        ),
        step(
            "get_commute_time",
            ("see how far it is from the cheapest flat to {workplace}[ by {mode}]",),
            ("It takes {minutes} minutes for {distance_km} km.",),
            gives("commute"),
            latitude=ref("listing.latitude"),
            longitude=ref("listing.longitude"),
        ),
        step(
            "get_commute_time",
            ("compare the way to {workplace} from the {lanes} cheapest flats[ by {mode}]",),
            ("One way takes {minutes} minutes ({distance_km} km).",),
            gives("commute"),
            each="listing",
            latitude=ref("listing.latitude"),
            longitude=ref("listing.longitude"),
        ),
        step(
            "get_neighbourhood_report",
            (
                "check how noisy the area of the cheapest flat is",
                "get a neighbourhood report for the cheapest flat",
            ),
            ("The area has {noise_db} dB by night and {schools} schools ({report_id}).",),
            gives("area"),
            latitude=ref("listing.latitude"),
            longitude=ref("listing.longitude"),
        ),
        step(
            "schedule_viewing",
            ("arrange a viewing of the cheapest flat on {date} at {time}[ for {tenant}]",),
            (
                "Viewing {viewing_id} is confirmed for {confirmed_for}; meeting point: "
                "{meeting_point}.",
            ),
            gives("viewing"),
            listing_id=ref("listing.listing_id"),
            visitor_name=slot("tenant"),
            weight=1.5,
        ),
        step(
            "request_callback",
            ("ask the agent of the cheapest flat to call back[ ({tenant})]",),
            ("The callback {callback_id} is requested.",),
            listing_id=ref("listing.listing_id"),
            visitor_name=slot("tenant"),
            weight=0.5,
        ),
        step(
            "submit_rental_application",
            (
                "apply for the cheapest flat[ as {tenant}][, {tenant_email}], offering the full "
                "deposit",
            ),
            ("Application {application_id} is in; the reply comes by {reply_by}.",),
            gives("application"),
            listing_id=ref("listing.listing_id"),
            applicant=slot("tenant"),
            email=slot("tenant_email"),
            deposit_offered=ref("listing_details.deposit"),
            weight=2,
        ),
        step(
            "submit_rental_application",
            ("apply for the cheapest flat[ as {tenant}][, {tenant_email}]",),
            ("Application {application_id} is in; the reply comes by {reply_by}.",),
            gives("application"),
            listing_id=ref("listing.listing_id"),
            applicant=slot("tenant"),
            email=slot("tenant_email"),
        ),
        step(
            "draft_lease",
            ("have a lease drawn up from {start_date} for {term_months} months",),
            ("The draft is at {lease_path}, to be signed by {sign_by}.",),
            gives("lease"),
            application_id=ref("application.application_id"),
            weight=2,
        ),
        step(
            "draft_lease",
            ("have a lease of {term_months} months drawn up from the first day it is free",),
            ("The draft is at {lease_path}, to be signed by {sign_by}.",),
            gives("lease"),
            application_id=ref("application.application_id"),
            start_date=ref("listing_details.available_from"),
            weight=2,
        ),
        step(
            "send_email",
            ("write to the agent with the application number",),
            ("The agent was told ({message_id}).",),
            to=ref("listing_details.agent_email"),
            subject=const("Rental application", "Our application"),
            body=text(
                "Hello {listing_details.agent_name}, our application has the number "
                "{application.application_id}."
            ),
        ),
        step(
            "search_homes_for_sale",
            (
                "find houses for sale in {city} up to {max_price}[ with at least {min_rooms} "
                "rooms]",
                "see what is for sale in {city} below {max_price}[ with {min_rooms} rooms or more]",
            ),
            ("The cheapest house is at {address} for ${asking_price}.",),
            gives("home", "/homes/*", "min asking_price"),
            weight=1.6,
        ),
        step(
            "estimate_mortgage",
            (
                "estimate the mortgage for the cheapest house with {down_payment_percent} down "
                "over {years} years",
            ),
            ("It would be ${monthly_rate} a month (quote {quote_id}).",),
            gives("mortgage"),
            home_price=ref("home.asking_price"),
            weight=1.5,
        ),
        step(
            "estimate_property_tax",
            ("estimate the property tax of the cheapest house",),
            ("The tax is ${yearly_tax} a year.",),
            gives("tax"),
            home_price=ref("home.asking_price"),
        ),
        step(
            "make_purchase_offer",
            (
                "make an offer of 95 percent of the asking price[ in the name of {tenant}] with "
                "that financing",
            ),
            ("Offer {offer_id} is in; the answer is due on {answer_due}.",),
            gives("bid"),
            home_id=ref("home.home_id"),
            offer_amount=share("home.asking_price", 95),
            financing_quote=ref("mortgage.quote_id"),
            buyer=slot("tenant"),
            weight=2,
        ),
    ),
)
