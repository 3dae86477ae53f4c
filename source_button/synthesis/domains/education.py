"""Courses, exams, libraries of a university."""

from __future__ import annotations

from source_button.synthesis import fields as f
from source_button.synthesis.model import (
    Domain,
    Entity,
    amount,
    const,
    gives,
    ref,
    step,
    text,
    tool,
)

DOMAIN = Domain(
    name="education",
    openings=(
        "The new term is about to start.",
        "I'm advising a student who is behind on credits.",
        "I want to learn something new after work.",
        "Exam season is close and I'm not prepared.",
    ),
    slots={
        "student_id": f.ident("Student id", "STU"),
        "subject": f.choice(
            "Subject",
            "linear algebra",
            "microeconomics",
            "organic chemistry",
            "art history",
            "data structures",
            "academic writing",
        ),
    },
    facts={
        "student_id": ("The student number is {student_id}.", "It is for student {student_id}.")
    },
    tools=(
        tool(
            "search_courses",
            "Search courses of a subject and level.",
            {
                "subject": f.choice("Subject", "algebra"),
                "level": f.enum("Level", "introductory", "intermediate", "advanced"),
                "language": f.opt(f.language("Language of teaching, ISO 639-1")),
                "online": f.opt(f.boolean("Whether it is held online")),
            },
            courses=f.rows(
                "Courses",
                f.record(
                    "A course",
                    course_id=f.ident("Course id", "CRS", 5),
                    lecturer=f.person("Lecturer"),
                    fee=f.price("Fee in US dollars", 45, 880),
                    rating=f.number("Students' rating", 3.1, 4.9, 2),
                    starts_on=f.date("First day", 6, 40),
                ),
            ),
        ),
        tool(
            "search_tutors",
            "Search private tutors of a subject.",
            {
                "subject": f.choice("Subject", "algebra"),
                "level": f.enum("Level", "introductory", "intermediate", "advanced"),
                "max_hourly_rate": f.opt(f.budget("Highest rate an hour in US dollars", 20, 90, 5)),
            },
            tutors=f.rows(
                "Tutors",
                f.record(
                    "A tutor",
                    tutor_id=f.ident("Tutor id", "TUT", 5),
                    name=f.person("Name"),
                    hourly_rate=f.price("Rate an hour in US dollars", 18, 85),
                    email=f.own_email("Address"),
                ),
            ),
        ),
        tool(
            "get_syllabus",
            "Get the syllabus of a course.",
            {"course_id": f.ident("Course id", "CRS", 5)},
            course_id=f.echo("course_id"),
            syllabus_url=f.url("Syllabus", "https://courses.example.edu/s/{}"),
            weekly_hours=f.number("Hours a week", 2.5, 11.5),
            reading_isbn=f.template(
                "ISBN of the textbook",
                lambda s: (
                    f"978-{s.whole(10, 98)}-{s.whole(10000, 98000)}"
                    f"-{s.whole(10, 99)}-{s.whole(0, 9)}"
                ),
            ),
        ),
        tool(
            "get_course_schedule",
            "Get the weekly times of a course.",
            {"course_id": f.ident("Course id", "CRS", 5)},
            course_id=f.echo("course_id"),
            first_session=f.moment("First session", 8, 40, hours=(8, 17)),
            lecture_hall=f.template("Hall", lambda s: f"Hall {s.pick('ABCD')}{s.whole(101, 389)}"),
            sessions=f.integer("Number of sessions", 9, 28),
        ),
        tool(
            "check_prerequisites",
            "Check whether a student may take a course.",
            {
                "course_id": f.ident("Course id", "CRS", 5),
                "student_id": f.ident("Student id", "STU"),
            },
            eligible=f.boolean("Whether the student may", 1.0),
            credits_counted=f.integer("Credits counted", 31, 148),
        ),
        tool(
            "enrol_student",
            "Enrol a student in a course.",
            {
                "course_id": f.ident("Course id", "CRS", 5),
                "student_id": f.ident("Student id", "STU"),
                "audit_only": f.opt(f.boolean("Whether without an exam")),
            },
            enrolment_id=f.ident("Enrolment id", "ENR"),
            invoice_total=f.template(
                "Fee with materials",
                lambda s: f.as_dollars(f.known(s, "course.fee", 210.0) + s.whole(990, 4990) / 100),
            ),
            pay_by=f.date("Last day to pay", 5, 15),
        ),
        tool(
            "add_to_waitlist",
            "Put a student on a course's waiting list.",
            {
                "course_id": f.ident("Course id", "CRS", 5),
                "student_id": f.ident("Student id", "STU"),
            },
            waitlist_id=f.ident("Waiting list id", "WLS"),
            place=f.integer("Place", 2, 19),
        ),
        tool(
            "find_textbook",
            "Find a textbook by its ISBN in the campus library.",
            {
                "isbn": f.template("ISBN", lambda s: "978-12-34567-89-0"),
                "edition": f.opt(f.count("Edition", 2, 6, 30)),
            },
            call_number=f.template(
                "Shelf mark", lambda s: f"QA{s.whole(110, 980)}.{s.whole(11, 99)}"
            ),
            copy_id=f.ident("Copy id", "CPY"),
            copies_free=f.integer("Copies free", 2, 9),
        ),
        tool(
            "reserve_book",
            "Reserve a copy of a book for a student.",
            {"copy_id": f.ident("Copy id", "CPY"), "student_id": f.ident("Student id", "STU")},
            hold_id=f.ident("Hold id", "BKH"),
            pickup_by=f.date("Last day of collection", 3, 9),
        ),
        tool(
            "renew_loan",
            "Renew a book that a student has.",
            {"copy_id": f.ident("Copy id", "CPY"), "student_id": f.ident("Student id", "STU")},
            due_on=f.date("New last day", 14, 30),
        ),
        tool(
            "pay_tuition",
            "Pay the fee of an enrolment.",
            {
                "enrolment_id": f.ident("Enrolment id", "ENR"),
                "amount": f.price("Amount in US dollars", 50, 900),
                "method": f.enum("Means of payment", "card", "bank_transfer", "voucher"),
            },
            receipt_number=f.ident("Receipt number", "RCT", 7),
            paid_at=f.moment("Time of payment", 0, 1),
        ),
        tool(
            "request_refund",
            "Ask for the fee of an enrolment back.",
            {
                "enrolment_id": f.ident("Enrolment id", "ENR"),
                "amount": f.price("Amount in US dollars", 50, 900),
            },
            refund_id=f.ident("Refund id", "RFD"),
        ),
        tool(
            "register_exam",
            "Register an enrolment for its exam.",
            {
                "enrolment_id": f.ident("Enrolment id", "ENR"),
                "session": f.enum("Exam session", "first", "second"),
            },
            exam_at=f.moment("Start of the exam", 50, 90, hours=(9, 14)),
            seat_number=f.template("Seat", lambda s: f"{s.pick('ABCDEF')}-{s.whole(101, 480)}"),
            exam_id=f.ident("Exam id", "EXM"),
        ),
        tool(
            "book_tutoring",
            "Book an hour with a tutor.",
            {
                "tutor_id": f.ident("Tutor id", "TUT", 5),
                "date": f.date("Day, YYYY-MM-DD", 3, 20),
                "time": f.clock("Time, HH:MM", 14, 20),
                "topic": f.choice(
                    "Topic", "exam preparation", "homework review", "essay structure"
                ),
            },
            session_id=f.ident("Session id", "TSN"),
            room_link=f.url("Link", "https://tutor.example.edu/r/{}"),
            session_fee=f.template(
                "Fee with the platform's share",
                lambda s: f.as_dollars(
                    f.known(s, "tutor.hourly_rate", 31.0) + s.whole(110, 590) / 100
                ),
            ),
        ),
    ),
    entities=(
        Entity(
            "course",
            ("course {course_id} of {lecturer} for ${fee}",),
            "fee",
            "starts_on",
            "best rated course",
            "first day of the best rated course",
        ),
        Entity("syllabus", ("the syllabus {syllabus_url}",), noun="syllabus"),
        Entity(
            "timetable",
            ("the first session is at {first_session} in {lecture_hall}",),
            None,
            "first_session",
            "timetable",
            "first session",
        ),
        Entity(
            "enrolment",
            ("enrolment {enrolment_id}, {invoice_total} to pay",),
            "invoice_total",
            "pay_by",
            "enrolment",
            "last day to pay",
        ),
        Entity("seat"),
        Entity("textbook", ("the textbook stands at {call_number}",), noun="textbook"),
        Entity(
            "hold",
            ("book hold {hold_id}",),
            None,
            "pickup_by",
            "book reservation",
            "last day to collect the book",
        ),
        Entity("tuition", ("receipt {receipt_number}",), noun="tuition payment"),
        Entity(
            "exam", ("exam {exam_id} at {exam_at}, seat {seat_number}",), None, "exam_at", "exam"
        ),
        Entity(
            "tutor", ("{name} at ${hourly_rate} an hour",), "hourly_rate", noun="cheapest tutor"
        ),
        Entity(
            "tutoring",
            ("tutoring session {session_id} at {room_link}",),
            "session_fee",
            noun="tutoring session",
        ),
        Entity("loan", ("the book is due on {due_on}",), None, "due_on", "loan", "end of the loan"),
        Entity("refund", ("refund {refund_id}",), noun="refund"),
        Entity("fee_settled"),
    ),
    twins=(
        ("search_courses", "search_tutors"),
        ("get_syllabus", "get_course_schedule"),
        ("enrol_student", "add_to_waitlist"),
        ("reserve_book", "renew_loan"),
        ("pay_tuition", "request_refund"),
    ),
    steps=(
        step(
            "search_courses",
            (
                "find {level} courses on {subject}[ taught in {language}]",
                "look for a course on {subject}, {level} level[, in {language}]",
            ),
            ("The course of {lecturer} has the best rating ({rating}, ${fee}).",),
            gives("course", "/courses/*", "max rating"),
            weight=2,
        ),
        step(
            "get_syllabus",
            ("get the syllabus of the best rated course",),
            ("It takes {weekly_hours} hours a week; the syllabus is at {syllabus_url}.",),
            gives("syllabus"),
            course_id=ref("course.course_id"),
        ),
        step(
            "get_syllabus",
            ("compare the syllabuses of the {lanes} best rated courses",),
            ("{course_id} takes {weekly_hours} hours a week ({syllabus_url}).",),
            gives("syllabus", "", "min weekly_hours"),
            each="course",
            course_id=ref("course.course_id"),
        ),
        step(
            "get_course_schedule",
            ("see when the best rated course takes place",),
            ("The first of {sessions} sessions is at {first_session} in {lecture_hall}.",),
            gives("timetable"),
            course_id=ref("course.course_id"),
        ),
        step(
            "check_prerequisites",
            ("check whether the student may take it[ ({student_id})]",),
            ("The student may; {credits_counted} credits count.",),
            course_id=ref("course.course_id"),
        ),
        step(
            "enrol_student",
            (
                "enrol the student[ {student_id}] in the best rated course",
                "sign the student[ {student_id}] up for the best rated one",
            ),
            ("Enrolment {enrolment_id} is done, {invoice_total} to pay by {pay_by}.",),
            gives("enrolment"),
            gives("seat"),
            course_id=ref("course.course_id"),
            weight=2,
        ),
        step(
            "add_to_waitlist",
            ("put the student[ {student_id}] on the waiting list of the best rated course",),
            ("The student is number {place} on the list ({waitlist_id}).",),
            gives("seat"),
            course_id=ref("course.course_id"),
            weight=0.4,
        ),
        step(
            "find_textbook",
            ("find the textbook of the syllabus in the library[, edition {edition}]",),
            ("{copies_free} copies are free at {call_number}.",),
            gives("textbook"),
            isbn=ref("syllabus.reading_isbn"),
            weight=1.5,
        ),
        step(
            "reserve_book",
            ("reserve a copy for the student[ {student_id}]",),
            ("Hold {hold_id} is good until {pickup_by}.",),
            gives("hold"),
            copy_id=ref("textbook.copy_id"),
            weight=1.5,
        ),
        step(
            "pay_tuition",
            ("pay the full fee by {method}",),
            ("The fee is paid, receipt {receipt_number}.",),
            gives("tuition"),
            gives("fee_settled"),
            enrolment_id=ref("enrolment.enrolment_id"),
            amount=amount("enrolment.invoice_total"),
            weight=1.5,
        ),
        step(
            "register_exam",
            ("register for the exam in the {session} session",),
            ("The exam is at {exam_at}, seat {seat_number}.",),
            gives("exam"),
            enrolment_id=ref("enrolment.enrolment_id"),
            weight=1.5,
        ),
        step(
            "search_tutors",
            (
                "find a tutor for {subject} at {level} level[ for at most {max_hourly_rate} an "
                "hour]",
            ),
            ("{name} is the cheapest at ${hourly_rate} an hour.",),
            gives("tutor", "/tutors/*", "min hourly_rate"),
            weight=1.2,
        ),
        step(
            "book_tutoring",
            ("book an hour of {topic} with the cheapest tutor on {date} at {time}",),
            ("Session {session_id} costs {session_fee} ({room_link}).",),
            gives("tutoring"),
            tutor_id=ref("tutor.tutor_id"),
            weight=1.6,
        ),
        step(
            "send_email",
            ("write to the cheapest tutor about the textbook",),
            ("The tutor was told ({message_id}).",),
            to=ref("tutor.email"),
            subject=const("Our textbook"),
            body=text("Hello {tutor.name}, the book has the shelf mark {textbook.call_number}."),
            weight=0.8,
        ),
        step(
            "renew_loan",
            ("renew the copy that the student[ {student_id}] has already",),
            ("The book is now due on {due_on}.",),
            gives("loan"),
            copy_id=ref("textbook.copy_id"),
            weight=1.5,
        ),
        step(
            "request_refund",
            ("ask for the fee back, since plans have changed",),
            ("The refund is asked for as {refund_id}.",),
            gives("refund"),
            gives("fee_settled"),
            enrolment_id=ref("enrolment.enrolment_id"),
            amount=amount("enrolment.invoice_total"),
            weight=1.5,
        ),
    ),
)
