"""Customers, leads, campaigns and tickets."""

from __future__ import annotations

from source_button.synthesis import fields as f
from source_button.synthesis.model import (
    Domain,
    Entity,
    const,
    every,
    gives,
    ref,
    slot,
    step,
    text,
    tool,
    total,
)

DOMAIN = Domain(
    name="marketing",
    openings=(
        "Our spring campaign has to go out.",
        "I inherited a messy customer list.",
        "The sales meeting is tomorrow morning.",
        "A key account is unhappy.",
    ),
    slots={
        "lead_name": f.company("Lead"),
        "account_name": f.company("Customer"),
        "owner_email": f.email("Colleague's address"),
        "campaign_name": f.unique(
            "Campaign",
            "Spring Preview",
            "Loyalty Weeks",
            "Back to Business",
            "Early Bird Deal",
            "Autumn Open House",
        ),
        "channels": f.enum("Channel", "newsletter", "search_ads", "social", "partner_sites"),
    },
    facts={"owner_email": ("My colleague is {owner_email}.", "{owner_email} is in charge of it.")},
    tools=(
        tool(
            "find_account",
            "Find a customer account by company name.",
            {"account_name": f.company("Name of the company"), "country": f.opt(f.country())},
            account_id=f.ident("Account id", "CRM"),
            contact_name=f.person("Main contact"),
            contact_email=f.email("Contact's address"),
            yearly_revenue=f.dollars("Revenue a year", 12000, 98000),
        ),
        tool(
            "find_lead",
            "Find a lead by company name.",
            {"account_name": f.company("Name of the company"), "country": f.opt(f.country())},
            lead_id=f.ident("Lead id", "LED"),
            score=f.number("Score", 21.1, 94.9),
        ),
        tool(
            "list_open_deals",
            "List the open deals of an account.",
            {
                "account_id": f.ident("Account id", "CRM"),
                "min_value": f.opt(f.budget("Smallest value in US dollars", 1000, 8000, 500)),
            },
            deals=f.rows(
                "Deals",
                f.record(
                    "A deal",
                    deal_id=f.ident("Deal id", "DEA"),
                    title=f.unique(
                        "Title",
                        "License renewal",
                        "Pilot project",
                        "Support upgrade",
                        "Extra seats",
                        "Training package",
                        "Data migration",
                    ),
                    value=f.price("Value in US dollars", 1100, 64000),
                    closes_on=f.date("Expected day of closing", 8, 60),
                ),
            ),
        ),
        tool(
            "list_support_tickets",
            "List the open support tickets of an account.",
            {
                "account_id": f.ident("Account id", "CRM"),
                "priority": f.opt(f.enum("Lowest priority", "normal", "high", "urgent")),
            },
            tickets=f.rows(
                "Tickets",
                f.record(
                    "A ticket",
                    ticket_id=f.ident("Ticket id", "TCK"),
                    subject=f.unique(
                        "Subject",
                        "login fails",
                        "wrong invoice",
                        "slow export",
                        "missing data",
                        "broken link",
                        "API errors",
                    ),
                    opened_at=f.moment("When it was opened", 0, 1),
                    satisfaction=f.number("Satisfaction", 1.1, 4.9, 2),
                ),
            ),
        ),
        tool(
            "assign_ticket",
            "Assign a ticket to a colleague.",
            {
                "ticket_id": f.ident("Ticket id", "TCK"),
                "owner_email": f.email("Colleague's address"),
                "note": f.opt(f.choice("Note", "please hurry", "key account")),
            },
            assignment_id=f.ident("Assignment id", "ASG"),
            reply_due=f.moment("Reply due", 1, 3),
        ),
        tool(
            "escalate_ticket",
            "Escalate a ticket to a colleague's manager.",
            {
                "ticket_id": f.ident("Ticket id", "TCK"),
                "owner_email": f.email("Colleague's address"),
            },
            escalation_id=f.ident("Escalation id", "ESC"),
            reply_due=f.moment("Reply due", 1, 3),
        ),
        tool(
            "update_deal_stage",
            "Move a deal to another stage.",
            {
                "deal_id": f.ident("Deal id", "DEA"),
                "stage": f.enum("Stage", "proposal", "negotiation", "won"),
                "probability_percent": f.opt(f.percent("Chance in percent", 20, 90)),
            },
            revision=f.ident("Revision", "REV"),
            updated_at=f.moment("When it was changed", 0, 1),
        ),
        tool(
            "update_deal_value",
            "Change the value of a deal.",
            {
                "deal_id": f.ident("Deal id", "DEA"),
                "value": f.price("Value in US dollars", 1000, 70000),
            },
            revision=f.ident("Revision", "REV"),
        ),
        tool(
            "get_deal",
            "Show a deal in its present state.",
            {"deal_id": f.ident("Deal id", "DEA")},
            deal_id=f.echo("deal_id"),
            weighted_value=f.price("Weighted value in US dollars", 900, 58000),
            next_step=f.choice("Next step", "send contract", "call the buyer"),
            page_url=f.url("Page", "https://crm.example.com/deals/{}"),
        ),
        tool(
            "create_quote",
            "Write a quote for a deal.",
            {
                "deal_id": f.ident("Deal id", "DEA"),
                "value": f.price("Value in US dollars", 1000, 70000),
                "discount_percent": f.percent("Discount in percent", 3, 15),
                "valid_until": f.date("Last day, YYYY-MM-DD", 10, 40),
            },
            quote_number=f.ident("Quote number", "QUO"),
            quote_total=f.calc(
                {"type": "string", "description": "Total after the discount"},
                lambda s: f.as_dollars(
                    s.arguments["value"] * (1 - s.arguments["discount_percent"] / 100)
                ),
            ),
            pdf_path=f.file_path("Quote", "/quotes/q-{}.pdf"),
        ),
        tool(
            "create_campaign",
            "Create a marketing campaign.",
            {
                "campaign_name": f.choice("Name", "Spring"),
                "budget": f.budget("Budget in US dollars", 1000, 20000, 500),
                "start_date": f.date("First day, YYYY-MM-DD", 5, 20),
                "end_date": f.date_after("Last day, YYYY-MM-DD", "start_date", 10, 30),
            },
            campaign_id=f.ident("Campaign id", "CMP"),
            landing_url=f.url("Landing page", "https://go.example.com/c/{}"),
        ),
        tool(
            "add_campaign_channel",
            "Add a channel to a campaign.",
            {
                "campaign_id": f.ident("Campaign id", "CMP"),
                "channel": f.enum("Channel", "newsletter", "search_ads", "social", "partner_sites"),
                "share_percent": f.opt(f.percent("Share of the budget", 10, 60)),
            },
            channel=f.echo("channel"),
            channel_id=f.ident("Channel id", "CHN"),
            expected_clicks=f.integer("Expected clicks", 410, 9800),
            cost_per_click=f.number("Cost per click in US dollars", 0.21, 2.89, 2),
        ),
        tool(
            "forecast_campaign",
            "Forecast a campaign from its channels.",
            {
                "channels": f.array_of("Channels", f.record("Channel")),
                "total_clicks": f.integer("Clicks of all channels", 400, 40000),
            },
            forecast_id=f.ident("Forecast id", "CFC"),
            expected_leads=f.integer("Expected leads", 31, 880),
            expected_cost=f.price("Expected cost in US dollars", 800, 18000),
        ),
        tool(
            "build_segment",
            "Build a segment of customers.",
            {
                "country": f.country(),
                "min_purchases": f.count("Least number of purchases", 2, 9, 100),
                "inactive_days": f.opt(f.count("Days without purchase", 30, 180, 999)),
            },
            segment_id=f.ident("Segment id", "SEG"),
            size=f.integer("Number of customers", 210, 9800),
        ),
        tool(
            "launch_campaign",
            "Launch a campaign to a segment.",
            {
                "campaign_id": f.ident("Campaign id", "CMP"),
                "segment_id": f.ident("Segment id", "SEG"),
                "sender_email": f.opt(f.email("Sender")),
            },
            launch_id=f.ident("Launch id", "LCH"),
            first_send_at=f.moment("First message", 2, 8),
        ),
    ),
    entities=(
        Entity("customer", ("{contact_name} ({account_id})",), "yearly_revenue", noun="customer"),
        Entity(
            "deal",
            ("{title} worth ${value}",),
            "value",
            "closes_on",
            "largest deal",
            "closing day of the largest deal",
        ),
        Entity(
            "ticket",
            ("ticket {ticket_id} ({subject})",),
            None,
            None,
            "least satisfied ticket",
        ),
        Entity(
            "assignment",
            ("assignment {assignment_id}, reply due {reply_due}",),
            None,
            "reply_due",
            "assignment",
            "reply to the ticket",
        ),
        Entity("handled"),
        Entity(
            "deal_state",
            ("a weighted value of ${weighted_value}, see {page_url}",),
            "weighted_value",
            noun="deal's state",
        ),
        Entity(
            "price_quote", ("quote {quote_number} over {quote_total}",), "quote_total", noun="quote"
        ),
        Entity(
            "campaign", ("campaign {campaign_id}, landing page {landing_url}",), noun="campaign"
        ),
        Entity("campaign_channel"),
        Entity(
            "campaign_forecast",
            ("{expected_leads} expected leads ({forecast_id})",),
            "expected_cost",
            noun="campaign forecast",
        ),
        Entity("segment", ("segment {segment_id} with {size} customers",), noun="segment"),
        Entity(
            "launch", ("launch {launch_id} at {first_send_at}",), None, "first_send_at", "launch"
        ),
        Entity("lead", ("lead {lead_id} with a score of {score}",), noun="lead"),
    ),
    twins=(
        ("find_account", "find_lead"),
        ("list_open_deals", "list_support_tickets"),
        ("assign_ticket", "escalate_ticket"),
        ("update_deal_stage", "update_deal_value"),
    ),
    steps=(
        step(
            "find_account",
            (
                "look up the account of {account_name}[ in {country}]",
                "find our customer {account_name}[, {country}]",
            ),
            ("The account is {account_id}, {contact_name} is the contact.",),
            gives("customer"),
            weight=2,
        ),
        step(
            "list_open_deals",
            (
                "list their open deals[ from {min_value} up]",
                "see which deals are open with them[, {min_value} or more]",
            ),
            ("The largest is '{title}' with ${value} ({deal_id}).",),
            gives("deal", "/deals/*", "max value"),
            account_id=ref("customer.account_id"),
            weight=1.6,
        ),
        step(
            "list_support_tickets",
            ("list their support tickets[ of {priority} priority and above]",),
            ("The least satisfied ticket is {ticket_id} ({subject}).",),
            gives("ticket", "/tickets/*", "min satisfaction"),
            account_id=ref("customer.account_id"),
            weight=1.3,
        ),
        step(
            "assign_ticket",
            ("assign the least satisfied ticket[ to {owner_email}]",),
            ("It is assigned ({assignment_id}); a reply is due {reply_due}.",),
            gives("assignment"),
            gives("handled"),
            ticket_id=ref("ticket.ticket_id"),
            weight=1.4,
        ),
        step(
            "escalate_ticket",
            ("escalate the {lanes} least satisfied tickets[ above {owner_email}]",),
            ("Escalation {escalation_id} asks for a reply by {reply_due}.",),
            gives("handled"),
            each="ticket",
            ticket_id=ref("ticket.ticket_id"),
        ),
        step(
            "update_deal_stage",
            ("move the largest deal to '{stage}'[ with a chance of {probability_percent}]",),
            ("The deal has revision {revision}.",),
            deal_id=ref("deal.deal_id"),
            changes="deal",
        ),
        step(
            "get_deal",
            ("show how the largest deal stands",),
            ("Its weighted value is ${weighted_value} ({page_url}).",),
            gives("deal_state"),
            deal_id=ref("deal.deal_id"),
            reads="deal",
            weight=1.2,
        ),
        step(
            "create_quote",
            (
                "write a quote for the largest deal with {discount_percent} off, valid until "
                "{valid_until}",
            ),
            ("Quote {quote_number} comes to {quote_total}.",),
            gives("price_quote"),
            deal_id=ref("deal.deal_id"),
            value=ref("deal.value"),
            weight=1.6,
        ),
        step(
            "send_email",
            ("send the quote to their contact",),
            ("The quote went out in {message_id}.",),
            to=ref("customer.contact_email"),
            subject=const("Our quote", "Quote as discussed"),
            body=text(
                "Dear {customer.contact_name}, our quote {price_quote.quote_number} is attached."
            ),
            attachment_path=ref("price_quote.pdf_path"),
            weight=2,
        ),
        step(
            "create_campaign",
            (
                "create the campaign {campaign_name} with {budget} from {start_date} to {end_date}",
                "set up a campaign called {campaign_name}, {budget}, running {start_date} to "
                "{end_date}",
            ),
            ("Campaign {campaign_id} has its page at {landing_url}.",),
            gives("campaign"),
            weight=2,
        ),
        step(
            "add_campaign_channel",
            ("add {channels} as its channels",),
            ("{channel} should bring {expected_clicks} clicks ({channel_id}).",),
            gives("campaign_channel", "", "max expected_clicks"),
            fan="channels",
            campaign_id=ref("campaign.campaign_id"),
            channel=slot("channels"),
            changes="campaign",
            weight=1.6,
        ),
        step(
            "forecast_campaign",
            ("forecast what the channels bring together",),
            ("{expected_leads} leads for ${expected_cost} are expected.",),
            gives("campaign_forecast"),
            channels=every("campaign_channel"),
            total_clicks=total("campaign_channel.expected_clicks"),
            weight=2,
        ),
        step(
            "build_segment",
            (
                "build a segment of customers in {country} with at least {min_purchases} "
                "purchases[ and none for {inactive_days} days]",
            ),
            ("The segment {segment_id} has {size} customers.",),
            gives("segment"),
            weight=1.2,
        ),
        step(
            "launch_campaign",
            ("launch the campaign to that segment",),
            ("Launch {launch_id} starts at {first_send_at}.",),
            gives("launch"),
            campaign_id=ref("campaign.campaign_id"),
            segment_id=ref("segment.segment_id"),
            reads="campaign",
            weight=2.5,
        ),
        step(
            "find_lead",
            ("look up the lead {lead_name}[ in {country}]", "find the lead {lead_name}"),
            ("Lead {lead_id} has a score of {score}.",),
            gives("lead"),
            account_name=slot("lead_name"),
            weight=2,
        ),
        step(
            "update_deal_value",
            ("set the largest deal to ${value}",),
            ("The deal has revision {revision}.",),
            deal_id=ref("deal.deal_id"),
            changes="deal",
        ),
    ),
)
