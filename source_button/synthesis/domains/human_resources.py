"""Employees, leave, hiring and payroll."""

from __future__ import annotations

from source_button.synthesis import fields as f
from source_button.synthesis.model import (
    Domain,
    Entity,
    const,
    difference,
    every,
    gives,
    ref,
    slot,
    step,
    text,
    tool,
)

DOMAIN = Domain(
    name="human_resources",
    openings=(
        "I'm standing in for our HR manager this week.",
        "Hiring season has started and I need to catch up.",
        "A new colleague starts soon.",
        "I have to tidy up a few staff matters.",
    ),
    slots={
        "employee_name": f.person("Employee"),
        "leave_start": f.date("First day", 10, 60),
        "leave_end": f.date_after("Last day", "leave_start", 2, 12),
        "department": f.enum("Department", "engineering", "sales", "finance", "support", "legal"),
        "interviewer_email": f.email("Interviewer's address"),
    },
    facts={
        "interviewer_email": (
            "The interviewer is {interviewer_email}.",
            "{interviewer_email} leads the interview.",
        )
    },
    tools=(
        tool(
            "find_employee",
            "Find an employee by name.",
            {
                "employee_name": f.person("Full name"),
                "department": f.opt(
                    f.enum("Department", "engineering", "sales", "finance", "support", "legal")
                ),
            },
            employee_id=f.ident("Employee id", "EMP", 5),
            work_email=f.email("Work address"),
            manager_id=f.ident("Manager's employee id", "MGR", 5),
            hired_on=f.past_date("Day of hiring", 90, 400),
        ),
        tool(
            "find_candidate",
            "Find an applicant by name.",
            {
                "employee_name": f.person("Full name"),
                "department": f.opt(
                    f.enum("Department", "engineering", "sales", "finance", "support", "legal")
                ),
            },
            candidate_id=f.ident("Candidate id", "CAN", 5),
            stage=f.enum("Stage", "applied", "screened"),
        ),
        tool(
            "get_leave_balance",
            "Get the leave that an employee has left.",
            {"employee_id": f.ident("Employee id", "EMP", 5)},
            employee_id=f.echo("employee_id"),
            days_left=f.number("Days left", 6.5, 28.5),
            balance_id=f.ident("Id of the leave account", "LVB", 5),
            expires_on=f.date("Day on which days lapse", 40, 90),
        ),
        tool(
            "get_leave_history",
            "List the leave that an employee has taken.",
            {
                "employee_id": f.ident("Employee id", "EMP", 5),
                "limit": f.opt(f.count("Entries", 3, 12, 100)),
            },
            entries=f.integer("Number of entries", 3, 19),
            last_leave_ended=f.past_date("Last day of the last leave"),
        ),
        tool(
            "request_leave",
            "Ask for leave on a leave account.",
            {
                "balance_id": f.ident("Id of the leave account", "LVB", 5),
                "start_date": f.date("First day, YYYY-MM-DD", 10, 60),
                "end_date": f.date_after("Last day, YYYY-MM-DD", "start_date", 2, 12),
                "leave_type": f.enum("Kind of leave", "annual", "parental", "unpaid"),
            },
            leave_id=f.ident("Leave id", "LVE"),
            approver_email=f.email("Who approves it"),
            decision_by=f.date("Day of decision", 2, 8),
        ),
        tool(
            "preview_leave",
            "Work out what a leave would use up, without asking for it.",
            {
                "balance_id": f.ident("Id of the leave account", "LVB", 5),
                "start_date": f.date("First day, YYYY-MM-DD", 10, 60),
                "end_date": f.date_after("Last day, YYYY-MM-DD", "start_date", 2, 12),
                "leave_type": f.opt(f.enum("Kind of leave", "annual", "parental", "unpaid")),
            },
            days_used=f.number("Days used", 2.5, 9.5),
            preview_id=f.ident("Preview id", "PRV"),
        ),
        tool(
            "approve_leave",
            "Approve a leave request as a manager.",
            {
                "leave_id": f.ident("Leave id", "LVE"),
                "manager_id": f.ident("Manager's employee id", "MGR", 5),
            },
            approval_code=f.ident("Approval code", "APV"),
            approved_at=f.moment("Time of approval", 0, 2),
        ),
        tool(
            "get_payslip",
            "Get an employee's payslip of a month.",
            {
                "employee_id": f.ident("Employee id", "EMP", 5),
                "month": f.template("Month, YYYY-MM", lambda s: f.day_at(s.day)[:7]),
            },
            gross=f.dollars("Gross pay", 3900, 9800),
            net=f.dollars("Net pay", 2400, 6100),
            payslip_path=f.file_path("Payslip", "/payroll/slips/{}.pdf"),
        ),
        tool(
            "get_tax_certificate",
            "Get an employee's yearly tax certificate.",
            {
                "employee_id": f.ident("Employee id", "EMP", 5),
                "year": f.opt(f.integer("Year", 2022, 2024)),
            },
            certificate_path=f.file_path("Certificate", "/payroll/tax/{}.pdf"),
        ),
        tool(
            "search_candidates",
            "Search applicants for a job title.",
            {
                "job_title": f.choice(
                    "Job title",
                    "data engineer",
                    "account manager",
                    "payroll clerk",
                    "support lead",
                    "legal counsel",
                ),
                "min_years": f.opt(f.count("Years of experience", 2, 8, 40)),
                "remote": f.opt(f.boolean("Whether remote work is wanted")),
            },
            candidates=f.rows(
                "Applicants",
                f.record(
                    "An applicant",
                    candidate_id=f.ident("Candidate id", "CAN", 5),
                    name=f.person("Name"),
                    email=f.own_email("Address"),
                    score=f.number("Match from 0 to 100", 51.2, 97.9, 1, minimum=0, maximum=100),
                    expected_salary=f.price("Expected yearly pay in US dollars", 42000, 118000),
                ),
            ),
        ),
        tool(
            "get_candidate_profile",
            "Get the CV and references of an applicant.",
            {"candidate_id": f.ident("Candidate id", "CAN", 5)},
            candidate_id=f.echo("candidate_id"),
            cv_url=f.url("CV", "https://hire.example.com/cv/{}"),
            years_experience=f.integer("Years of experience", 2, 21),
            reference_phone=f.phone("Phone of a reference"),
        ),
        tool(
            "rank_candidates",
            "Rank applicants by their profiles.",
            {
                "profiles": f.array_of("Profiles", f.record("Profile")),
                "weight_on": f.opt(f.enum("What counts most", "experience", "references")),
            },
            top=f.selected("The best profile", "profiles", "max years_experience"),
            rationale=f.choice("Why", "longest relevant experience", "strong references"),
        ),
        tool(
            "schedule_interview",
            "Schedule an interview with an applicant.",
            {
                "candidate_id": f.ident("Candidate id", "CAN", 5),
                "interviewer_email": f.email("Who interviews"),
                "date": f.date("Day, YYYY-MM-DD", 3, 15),
                "time": f.clock("Time, HH:MM", 9, 16),
            },
            interview_id=f.ident("Interview id", "INT"),
            meeting_url=f.url("Link", "https://meet.example.com/i-{}"),
            starts_at=f.moment("Confirmed start", on="date", hours=(9, 16)),
        ),
        tool(
            "reject_candidate",
            "Tell an applicant that the job went to somebody else.",
            {
                "candidate_id": f.ident("Candidate id", "CAN", 5),
                "interviewer_email": f.opt(f.email("Who decided")),
            },
            letter_id=f.ident("Letter id", "LTR"),
        ),
        tool(
            "prepare_offer",
            "Prepare a job offer for an applicant.",
            {
                "candidate_id": f.ident("Candidate id", "CAN", 5),
                "salary": f.price("Yearly pay in US dollars", 40000, 120000),
                "signing_bonus": f.opt(f.price("Bonus at the start in US dollars", 500, 9000)),
                "start_date": f.date("First day of work, YYYY-MM-DD", 20, 70),
            },
            offer_letter_path=f.file_path("Offer letter", "/offers/letter-{}.pdf"),
            answer_by=f.date("Last day to answer", 8, 19),
        ),
        tool(
            "compare_salary",
            "Compare a salary with the market.",
            {
                "salary": f.price("Yearly pay in US dollars", 40000, 120000),
                "job_title": f.choice("Job title", "data engineer"),
            },
            market_median=f.price("Median of the market in US dollars", 44000, 110000),
            percentile=f.integer("Percentile", 21, 88),
        ),
        tool(
            "order_equipment",
            "Order equipment for an employee.",
            {
                "employee_id": f.ident("Employee id", "EMP", 5),
                "items": f.list_of(
                    "Things to order",
                    f.choice("Item", "laptop", "headset", "monitor", "docking station", "keyboard"),
                ),
                "ship_to": f.address("Where it is sent"),
            },
            purchase_order=f.ident("Purchase order", "PO"),
            cost=f.price("Cost in US dollars", 210, 3100),
            arrives_on=f.date("Day of arrival", 3, 12),
        ),
    ),
    entities=(
        Entity("employee", ("{work_email} ({employee_id})",), noun="employee"),
        Entity(
            "leave_account",
            ("{days_left} days of leave left",),
            None,
            "expires_on",
            "leave balance",
            "day on which the leave lapses",
        ),
        Entity(
            "leave",
            ("leave request {leave_id}",),
            None,
            "decision_by",
            "leave request",
            "decision on the leave",
        ),
        Entity("approval", ("leave approval {approval_code}",), None, None, "approval"),
        Entity("payslip", ("{net} net pay, payslip {payslip_path}",), "net", noun="payslip"),
        Entity(
            "candidate", ("{name} with a match of {score}",), "expected_salary", noun="best match"
        ),
        Entity("profile"),
        Entity("top_candidate"),
        Entity("settled"),
        Entity(
            "interview",
            ("interview {interview_id} at {starts_at}, {meeting_url}",),
            None,
            "starts_at",
            "interview",
        ),
        Entity(
            "offer",
            ("the offer letter {offer_letter_path}",),
            None,
            "answer_by",
            "job offer",
            "last day to answer the offer",
        ),
        Entity(
            "market",
            ("a market median of ${market_median}",),
            "market_median",
            noun="market salary",
        ),
        Entity(
            "equipment",
            ("purchase order {purchase_order} over ${cost}",),
            "cost",
            "arrives_on",
            "equipment",
            "arrival of the equipment",
        ),
    ),
    twins=(
        ("find_employee", "find_candidate"),
        ("get_leave_balance", "get_leave_history"),
        ("request_leave", "preview_leave"),
        ("get_payslip", "get_tax_certificate"),
        ("schedule_interview", "reject_candidate"),
    ),
    steps=(
        step(
            "find_employee",
            (
                "look up {employee_name}[ in {department}]",
                "find the record of {employee_name}[ from {department}]",
            ),
            ("The employee id is {employee_id}, address {work_email}.",),
            gives("employee"),
            weight=2,
        ),
        step(
            "get_leave_balance",
            ("check how much leave that employee has left", "get the leave balance"),
            ("{days_left} days are left on {balance_id}.",),
            gives("leave_account"),
            employee_id=ref("employee.employee_id"),
            weight=1.5,
        ),
        step(
            "request_leave",
            ("request {leave_type} leave from {leave_start} to {leave_end}",),
            ("Leave {leave_id} is requested; {approver_email} decides by {decision_by}.",),
            gives("leave"),
            balance_id=ref("leave_account.balance_id"),
            weight=2,
            start_date=slot("leave_start"),
            end_date=slot("leave_end"),
        ),
        step(
            "approve_leave",
            ("approve it in the manager's name",),
            ("It is approved with code {approval_code}.",),
            gives("approval"),
            leave_id=ref("leave.leave_id"),
            manager_id=ref("employee.manager_id"),
            weight=1.5,
        ),
        step(
            "get_leave_history",
            ("see when the last leave was",),
            ("The last leave ended on {last_leave_ended}.",),
            employee_id=ref("employee.employee_id"),
            weight=0.7,
        ),
        step(
            "get_payslip",
            ("get the employee's payslip for {month}",),
            ("Net pay was {net} ({payslip_path}).",),
            gives("payslip"),
            employee_id=ref("employee.employee_id"),
        ),
        step(
            "order_equipment",
            ("order {items} for the employee, sent to {ship_to}",),
            ("Order {purchase_order} over ${cost} arrives on {arrives_on}.",),
            gives("equipment"),
            employee_id=ref("employee.employee_id"),
            weight=1.2,
        ),
        step(
            "search_candidates",
            (
                "search applicants for the job of {job_title}[ with at least {min_years} years "
                "of experience]",
                "find people for our {job_title} opening[, {min_years} years of experience or "
                "more]",
            ),
            ("{name} matches best ({score}).",),
            gives("candidate", "/candidates/*", "max score"),
            weight=2,
        ),
        step(
            "get_candidate_profile",
            ("read the CVs of the {lanes} best matches",),
            ("{candidate_id} has {years_experience} years of experience ({cv_url}).",),
            gives("profile"),
            each="candidate",
            candidate_id=ref("candidate.candidate_id"),
            weight=1.5,
        ),
        step(
            "rank_candidates",
            ("rank these profiles[, mostly by {weight_on}]",),
            ("{top.candidate_id} is first ({rationale}).",),
            gives("top_candidate", "/top"),
            profiles=every("profile"),
            weight=1.5,
        ),
        step(
            "schedule_interview",
            ("interview the one ranked first on {date} at {time}[ with {interviewer_email}]",),
            ("Interview {interview_id} starts at {starts_at}.",),
            gives("interview"),
            gives("settled"),
            candidate_id=ref("top_candidate.candidate_id"),
            weight=2,
        ),
        step(
            "schedule_interview",
            (
                "schedule an interview with the best match on {date} at {time}[, led by "
                "{interviewer_email}]",
            ),
            ("Interview {interview_id} starts at {starts_at}.",),
            gives("interview"),
            gives("settled"),
            candidate_id=ref("candidate.candidate_id"),
        ),
        step(
            "compare_salary",
            ("compare what the best match expects with the market for a {job_title}",),
            ("The market median is ${market_median} (percentile {percentile}).",),
            gives("market"),
            salary=ref("candidate.expected_salary"),
        ),
        step(
            "prepare_offer",
            ("prepare an offer to the best match at the expected pay, starting {start_date}",),
            ("The letter is {offer_letter_path}, to be answered by {answer_by}.",),
            gives("offer"),
            candidate_id=ref("candidate.candidate_id"),
            salary=ref("candidate.expected_salary"),
        ),
        step(
            "prepare_offer",
            (
                "prepare an offer to the best match at the market median with the difference "
                "as a bonus, starting {start_date}",
            ),
            ("The letter is {offer_letter_path}, to be answered by {answer_by}.",),
            gives("offer"),
            candidate_id=ref("candidate.candidate_id"),
            signing_bonus=difference("candidate.expected_salary", "market.market_median"),
            salary=ref("market.market_median"),
            weight=1.5,
        ),
        step(
            "send_email",
            ("send the interview link to the best match",),
            ("The link was mailed ({message_id}).",),
            to=ref("candidate.email"),
            subject=const("Your interview"),
            body=text("Dear {candidate.name}, please join us at {interview.meeting_url}."),
            weight=1.2,
        ),
    ),
)
