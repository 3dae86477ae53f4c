"""Accounts, payments, cards and loans."""

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
    tool,
)

DOMAIN = Domain(
    name="banking",
    openings=(
        "I want to get my finances in order before the end of the month.",
        "I just got paid and have some bank business to do.",
        "I'm going through my statements and found a few things to settle.",
        "We are thinking about a bigger purchase, so I need an overview of our money.",
    ),
    slots={
        "customer_id": f.ident("Customer id", "CUS"),
        "from_date": f.past_date("First day", 40, 90),
        "to_date": f.past_date("Last day", 1, 20),
        "payee": f.person(),
        "standing_amount": f.budget("Amount in US dollars", 50, 600),
        "block_reason": f.enum("Reason", "lost", "stolen"),
        "iban": f.template(
            "IBAN", lambda s: f"DE{s.whole(10, 98)}37040044{s.whole(10**9, 10**10 - 1)}"
        ),
    },
    facts={
        "customer_id": ("My customer number is {customer_id}.", "I'm customer {customer_id}."),
        "iban": ("The account to pay into is {iban}.", "Their IBAN is {iban}."),
    },
    tools=(
        tool(
            "list_accounts",
            "List a customer's accounts with their balances.",
            {"customer_id": f.ident("Customer id", "CUS")},
            accounts=f.rows(
                "Accounts",
                f.record(
                    "An account",
                    account_id=f.ident("Account id", "ACC", 7),
                    kind=f.enum("Kind of account", "checking", "savings", "joint"),
                    balance=f.price("Balance in US dollars", 240, 18400),
                ),
            ),
        ),
        tool(
            "list_cards",
            "List a customer's payment cards.",
            {"customer_id": f.ident("Customer id", "CUS")},
            cards=f.rows(
                "Cards",
                f.record(
                    "A card",
                    card_id=f.ident("Card id", "CRD", 5),
                    last_four=f.template("Last four digits", lambda s: str(s.whole(1021, 9987))),
                    expires=f.date("Day of expiry", 60, 400),
                ),
            ),
        ),
        tool(
            "get_transactions",
            "List the transactions of an account between two days.",
            {
                "account_id": f.ident("Account id", "ACC", 7),
                "from_date": f.past_date("First day, YYYY-MM-DD"),
                "to_date": f.past_date("Last day, YYYY-MM-DD", 1, 4),
                "min_amount": f.opt(f.budget("Smallest amount in US dollars", 50, 300)),
            },
            transactions=f.rows(
                "Transactions",
                f.record(
                    "A transaction",
                    transaction_id=f.ident("Transaction id", "TXN", 8),
                    merchant=f.company("Other party"),
                    amount=f.price("Amount in US dollars", 52, 940),
                    booked_on=f.past_date("Day of booking"),
                ),
            ),
        ),
        tool(
            "get_account_statement",
            "Get the monthly statement of an account as a file.",
            {
                "account_id": f.ident("Account id", "ACC", 7),
                "from_date": f.past_date("First day, YYYY-MM-DD"),
                "to_date": f.past_date("Last day, YYYY-MM-DD", 1, 4),
            },
            statement_path=f.file_path("Path of the statement", "/statements/{}.pdf"),
            closing_balance=f.price("Closing balance in US dollars", 300, 9400),
        ),
        tool(
            "transfer_money",
            "Transfer money from an account to an IBAN at once.",
            {
                "account_id": f.ident("Account to pay from", "ACC", 7),
                "iban": f.template("IBAN of the payee", lambda s: "DE12370400440532013000"),
                "amount": f.budget("Amount in US dollars", 100, 900),
                "payee": f.person("Name of the payee"),
                "purpose": f.opt(
                    f.choice(
                        "Purpose of payment",
                        "rent share",
                        "concert tickets",
                        "kitchen repair",
                        "holiday deposit",
                        "course fee",
                    )
                ),
            },
            transfer_id=f.ident("Transfer id", "TFR", 8),
            executed_at=f.moment("Time of execution", 0, 1),
            fee=f.price("Fee in US dollars", 1, 6),
        ),
        tool(
            "create_standing_order",
            "Set up a monthly transfer from an account.",
            {
                "account_id": f.ident("Account to pay from", "ACC", 7),
                "iban": f.template("IBAN of the payee", lambda s: "DE12370400440532013000"),
                "amount": f.budget("Amount in US dollars", 50, 600),
                "start_date": f.date("First payment, YYYY-MM-DD", 5, 40),
                "day_of_month": f.opt(f.count("Day of the month", 3, 27, 28)),
            },
            standing_order_id=f.ident("Standing order id", "STO", 7),
            next_run=f.date("Next execution", 5, 35),
        ),
        tool(
            "dispute_transaction",
            "Dispute a card or account transaction.",
            {
                "transaction_id": f.ident("Transaction id", "TXN", 8),
                "reason": f.enum("Reason", "not_recognised", "duplicate", "wrong_amount"),
                "disputed_amount": f.opt(f.price("Amount in dispute in US dollars", 50, 900)),
            },
            case_id=f.ident("Case id", "CSE"),
            decision_by=f.date("Day of decision", 15, 45),
        ),
        tool(
            "flag_transaction",
            "Mark a transaction for one's own records.",
            {
                "transaction_id": f.ident("Transaction id", "TXN", 8),
                "label": f.choice("Label", "tax", "shared", "business", "check later"),
            },
            flag_id=f.ident("Flag id", "FLG"),
        ),
        tool(
            "block_card",
            "Block a payment card.",
            {
                "card_id": f.ident("Card id", "CRD", 5),
                "reason": f.enum("Reason", "lost", "stolen", "not_recognised"),
            },
            block_reference=f.ident("Reference of the block", "BLK"),
            blocked_at=f.moment("When it took effect", 0, 1),
        ),
        tool(
            "order_replacement_card",
            "Order a new card in place of a blocked one.",
            {
                "block_reference": f.ident("Reference of the block", "BLK"),
                "express": f.opt(f.boolean("Whether it is sent by courier")),
            },
            request_id=f.ident("Request id", "REQ"),
            arrives_on=f.date("Day of arrival", 3, 9),
            shipping_fee=f.price("Fee in US dollars", 5, 19),
        ),
        tool(
            "calculate_loan",
            "Work out the monthly rate of a loan.",
            {
                "principal": f.budget("Amount of the loan in US dollars", 4000, 30000, 500),
                "annual_rate_percent": f.percent("Yearly interest in percent", 3.1, 8.9, 2),
                "months": f.count("Term in months", 24, 84, 360),
            },
            monthly_payment=f.calc(
                {"type": "number", "description": "Monthly payment in US dollars"},
                lambda s: round(
                    s.arguments["principal"]
                    / s.arguments["months"]
                    * (1 + s.arguments["annual_rate_percent"] / 200)
                    + 0.13,
                    2,
                ),
            ),
            offer_id=f.ident("Offer id", "LOF"),
            offer_expires=f.date("Last day of the offer", 10, 30),
        ),
        tool(
            "get_loan_rate",
            "Get the current interest for a loan over a term.",
            {
                "months": f.count("Term in months", 24, 84, 360),
                "principal": f.budget("Amount of the loan in US dollars", 4000, 30000, 500),
            },
            rate_percent=f.number("Yearly interest in percent", 3.12, 8.93, 2),
            index_name=f.choice("Reference rate", "SOFR", "prime rate"),
        ),
        tool(
            "apply_for_loan",
            "Apply for a calculated loan offer.",
            {
                "offer_id": f.ident("Offer id", "LOF"),
                "customer_id": f.ident("Customer id", "CUS"),
                "payout_account": f.opt(f.ident("Account for the money", "ACC", 7)),
            },
            application_id=f.ident("Application id", "APL"),
            decision_on=f.date("Day of decision", 3, 12),
        ),
        tool(
            "analyze_spending",
            "Sum up transactions by category.",
            {
                "transactions": f.array_of("Transactions to look at", f.record("A transaction")),
                "group_by": f.opt(f.enum("Grouping", "category", "merchant", "week")),
            },
            total_spent=f.calc(
                {"type": "number", "description": "Sum in US dollars"},
                lambda s: round(sum(t["amount"] for t in s.arguments["transactions"]), 2),
            ),
            largest_share_percent=f.number("Share of the largest group", 31, 78, 1),
            report_id=f.ident("Report id", "SPR"),
        ),
    ),
    entities=(
        Entity(
            "account",
            ("account {account_id} with a balance of ${balance}",),
            "balance",
            noun="account balance",
        ),
        Entity(
            "transaction",
            ("transaction {transaction_id} over ${amount} with {merchant}",),
            "amount",
            None,
        ),
        Entity(
            "statement",
            ("closing balance ${closing_balance}, statement {statement_path}",),
            "closing_balance",
        ),
        Entity(
            "transfer",
            ("transfer {transfer_id}, executed {executed_at}",),
            "fee",
            noun="transfer fee",
        ),
        Entity(
            "dispute",
            ("dispute {case_id}, decided by {decision_by}",),
            None,
            "decision_by",
            "dispute",
            "decision on the dispute",
        ),
        Entity(
            "card",
            ("card {card_id} ending in {last_four}",),
            None,
            "expires",
            "card",
            "expiry of the card",
        ),
        Entity("card_block", ("card block {block_reference}",)),
        Entity(
            "replacement_card",
            ("replacement card {request_id} arriving {arrives_on}",),
            "shipping_fee",
            "arrives_on",
            "replacement card",
            "arrival of the new card",
        ),
        Entity("loan_rate"),
        Entity(
            "loan_offer",
            ("loan offer {offer_id} at ${monthly_payment} a month",),
            "monthly_payment",
            "offer_expires",
            "loan offer",
            "end of the loan offer",
        ),
        Entity(
            "loan_application",
            ("loan application {application_id}",),
            None,
            "decision_on",
            "loan application",
            "decision on the loan",
        ),
        Entity(
            "spending_report",
            ("spending report {report_id}: ${total_spent} in total",),
            "total_spent",
        ),
        Entity(
            "standing_order",
            ("standing order {standing_order_id}",),
            None,
            "next_run",
            "standing order",
            "next run of the standing order",
        ),
    ),
    twins=(
        ("list_accounts", "list_cards"),
        ("get_transactions", "get_account_statement"),
        ("transfer_money", "create_standing_order"),
        ("dispute_transaction", "flag_transaction"),
        ("calculate_loan", "get_loan_rate"),
    ),
    steps=(
        step(
            "list_accounts",
            (
                "list my accounts[ (customer {customer_id})]",
                "get the balances of my accounts[, customer number {customer_id}]",
            ),
            ("The account with the most money is {account_id} with ${balance}.",),
            gives("account", "/accounts/*", "max balance"),
            weight=2,
        ),
        step(
            "get_transactions",
            (
                "list the transactions of the fullest account from {from_date} to {to_date}[ "
                "above {min_amount}]",
                "go through what happened on the account with the most money between {from_date} "
                "and {to_date}[, from {min_amount} up]",
            ),
            ("The largest transaction is {transaction_id}: ${amount} to {merchant}.",),
            gives("transaction", "/transactions/*", "max amount"),
            weight=2,
            account_id=ref("account.account_id"),
        ),
        step(
            "get_account_statement",
            ("fetch the statement of the fullest account from {from_date} to {to_date}",),
            ("The closing balance is ${closing_balance}; the statement is {statement_path}.",),
            gives("statement"),
            account_id=ref("account.account_id"),
        ),
        step(
            "get_account_statement",
            ("fetch the statements of the {lanes} fullest accounts from {from_date} to {to_date}",),
            ("One statement closes with ${closing_balance} ({statement_path}).",),
            gives("statement"),
            each="account",
            account_id=ref("account.account_id"),
            weight=0.8,
        ),
        step(
            "analyze_spending",
            ("sum up the spending[ by {group_by}]", "analyse these transactions[ by {group_by}]"),
            (
                "Spending comes to ${total_spent}; the largest group is {largest_share_percent}% "
                "of it.",
            ),
            gives("spending_report"),
            transactions=every("transaction"),
        ),
        step(
            "dispute_transaction",
            (
                "dispute the largest transaction as {reason}",
                "open a dispute on the largest one ({reason})",
            ),
            ("Dispute {case_id} is open and will be decided by {decision_by}.",),
            gives("dispute"),
            transaction_id=ref("transaction.transaction_id"),
            disputed_amount=ref("transaction.amount"),
        ),
        step(
            "flag_transaction",
            ("mark the largest transaction as '{label}'",),
            ("It carries flag {flag_id} now.",),
            transaction_id=ref("transaction.transaction_id"),
            weight=0.6,
        ),
        step(
            "transfer_money",
            (
                "transfer {amount} to {payee}[ ({iban})][ for the {purpose}] from the fullest "
                "account",
                "send {amount} to {payee}[, IBAN {iban}][, purpose {purpose}] from the account "
                "with the most money",
            ),
            ("Transfer {transfer_id} went out, the fee is ${fee}.",),
            gives("transfer"),
            account_id=ref("account.account_id"),
        ),
        step(
            "create_standing_order",
            (
                "set up a standing order of {amount} from {start_date} on[ to {iban}] out of the "
                "fullest account[, always on day {day_of_month} of the month]",
            ),
            ("Standing order {standing_order_id} runs next on {next_run}.",),
            gives("standing_order"),
            account_id=ref("account.account_id"),
            amount=slot("standing_amount"),
        ),
        step(
            "list_cards",
            (
                "list my cards[ (customer {customer_id})]",
                "find my card that expires first[, customer number {customer_id}]",
            ),
            ("The card that expires first ends in {last_four} ({card_id}).",),
            gives("card", "/cards/*", "min expires"),
            weight=1.5,
        ),
        step(
            "block_card",
            (
                "block the card that expires first, which was {block_reason}",
                "block the one that expires first ({block_reason})",
            ),
            ("The card is blocked under {block_reference}.",),
            gives("card_block"),
            card_id=ref("card.card_id"),
            reason=slot("block_reason"),
        ),
        step(
            "order_replacement_card",
            ("order a replacement for the blocked card",),
            ("The new card arrives on {arrives_on} for ${shipping_fee}.",),
            gives("replacement_card"),
            block_reference=ref("card_block.block_reference"),
            express=const(True),
        ),
        step(
            "get_loan_rate",
            (
                "get the current rate for a loan of {principal} over {months} months",
                "see what a {months}-month loan of {principal} costs in interest",
            ),
            ("The rate is {rate_percent}% a year.",),
            gives("loan_rate"),
            weight=1.5,
        ),
        step(
            "calculate_loan",
            (
                "work out the monthly payment of that loan",
                "calculate the rate per month at that interest",
            ),
            ("It comes to ${monthly_payment} a month (offer {offer_id}).",),
            gives("loan_offer"),
            weight=2,
            annual_rate_percent=ref("loan_rate.rate_percent"),
        ),
        step(
            "apply_for_loan",
            ("apply for the loan[ in the name of customer {customer_id}]",),
            ("Application {application_id} is in; the decision comes on {decision_on}.",),
            gives("loan_application"),
            offer_id=ref("loan_offer.offer_id"),
        ),
        step(
            "apply_for_loan",
            (
                "apply for the loan[ in the name of customer {customer_id}] with payout to the "
                "fullest account",
            ),
            ("Application {application_id} is in; the decision comes on {decision_on}.",),
            gives("loan_application"),
            offer_id=ref("loan_offer.offer_id"),
            payout_account=ref("account.account_id"),
        ),
    ),
)
