"""Mail, messages, calendars and notes: the ends of most errands, shared by all domains."""

from __future__ import annotations

from source_button.synthesis import fields as f
from source_button.synthesis.model import (
    Domain,
    Entity,
    amount,
    const,
    days_after,
    gives,
    listed,
    ref,
    slot,
    step,
    text,
    tool,
)
from source_button.synthesis.scene import Scene

_SUBJECTS = ("Quick update", "Details as promised", "For your records", "Summary for you")

# A phrase book: names, ids and amounts stay as they are in any language.
_PLEASE_NOTE = {
    "fr": "Veuillez noter",
    "es": "Tenga en cuenta",
    "de": "Bitte beachten",
    "it": "Si prega di notare",
    "pt": "Tenha em atenção",
    "ja": "ご確認ください",
    "pl": "Proszę zwrócić uwagę",
    "nl": "Let op",
    "sv": "Observera",
    "ko": "확인해 주세요",
    "cs": "Vezměte prosím na vědomí",
    "el": "Σημειώστε",
}


def _translate(scene: Scene) -> str:
    rest = scene.arguments["text"].partition(": ")[2]
    return f"{_PLEASE_NOTE[scene.arguments['target_language']]}: {rest}"


_RATES = {
    "EUR": 0.92, "GBP": 0.79, "JPY": 149.3, "CHF": 0.88, "CAD": 1.36, "SEK": 10.4, "AUD": 1.51,
    "NOK": 10.6, "PLN": 3.94,
}  # fmt: skip

DOMAIN = Domain(
    name="office",
    shared=True,
    openings=("I have a few things to get off my desk.",),
    slots={
        "recipient_email": f.email("Recipient", "recipient"),
        "recipient": f.person(),
        "mobile": f.phone("Mobile number"),
        "channel": f.unique(
            "Channel",
            "#planning",
            "#ops-updates",
            "#family",
            "#team-north",
            "#finance-chat",
            "#announcements",
        ),
        "target_currency": f.currency(),
        "target_language": f.language(),
        "sheet_id": f.ident("Spreadsheet", "SHT", 5),
        "folder": f.file_path(
            "Folder", "/shared/reports", "/home/documents/2025", "/team/archive", "/users/me/inbox"
        ),
    },
    facts={
        "recipient_email": (
            "Mail should go to {recipient_email}.",
            "The address to write to is {recipient_email}.",
        ),
        "mobile": ("The mobile number is {mobile}.", "Texts go to {mobile}."),
    },
    entities=(
        Entity("document", ("the document {file_path}",)),
        Entity("upload", ("the file is at {share_url}",), noun="shared link"),
        Entity("short_link", ("the short link is {short_url}",)),
        Entity("calendar_entry"),
        Entity("converted_amount", ("the converted amount {converted_amount}",)),
        Entity("translation", ()),
        Entity("note"),
        Entity("moved_file", ("the file now lies at {new_path}",), noun="moved file"),
    ),
    twins=(
        ("send_email", "schedule_email"),
        ("send_sms", "send_chat_message"),
        ("create_calendar_entry", "set_reminder"),
        ("create_note", "create_task"),
        ("convert_currency", "get_exchange_rate"),
        ("upload_file", "move_file"),
        ("translate_text", "proofread_text"),
    ),
    tools=(
        tool(
            "send_email",
            "Send an e-mail at once.",
            {
                "to": f.email("Recipient's address"),
                "subject": f.choice("Subject line", *_SUBJECTS),
                "body": f.choice("Text of the message", "Please see below."),
                "attachment_path": f.opt(f.file_path("File to attach", "/tmp/report-{}.pdf")),
            },
            message_id=f.code("Message id", "msg_", 8),
            status=f.enum("Status", "sent", "queued"),
        ),
        tool(
            "schedule_email",
            "Send an e-mail at a later time.",
            {
                "to": f.email("Recipient's address"),
                "subject": f.choice("Subject line", *_SUBJECTS),
                "body": f.choice("Text of the message", "Please see below."),
                "send_date": f.date("Day on which it is sent, YYYY-MM-DD"),
            },
            scheduled_id=f.code("Id of the scheduled message", "sch_", 8),
        ),
        tool(
            "send_sms",
            "Send a text message to a mobile phone.",
            {
                "phone_number": f.phone("Recipient's number in international format"),
                "message": f.choice("Text of the message", "On my way."),
            },
            sms_id=f.code("Message id", "sms_", 8),
            segments=f.integer("Number of segments", 1, 3),
        ),
        tool(
            "send_chat_message",
            "Post a message in a chat channel.",
            {
                "channel": f.choice("Channel, with its #", "#general"),
                "message": f.choice("Text of the message", "Done."),
            },
            post_id=f.code("Id of the post", "p_", 8),
            channel=f.echo("channel"),
        ),
        tool(
            "create_calendar_entry",
            "Put an entry into the calendar.",
            {
                "title": f.choice("Title of the entry", "Appointment"),
                "start": f.day_or_moment("Start: a day or a day with time"),
                "duration_minutes": f.opt(f.count("Length in minutes", 30, 90, 1440)),
            },
            calendar_entry_id=f.ident("Id of the entry", "CAL"),
            html_link=f.url("Link to the entry", "https://calendar.example.com/e/{}", "c"),
        ),
        tool(
            "set_reminder",
            "Set a reminder for a day.",
            {
                "date": f.date("Day of the reminder, YYYY-MM-DD"),
                "text": f.choice("What to be reminded of", "Call back"),
            },
            reminder_id=f.ident("Reminder id", "REM"),
        ),
        tool(
            "create_note",
            "Save a note.",
            {
                "title": f.choice("Title of the note", "Note"),
                "content": f.choice("Text of the note", "Call the office."),
                "tags": f.opt(
                    f.list_of("Tags", f.choice("Tag", "errands", "work", "home", "money"))
                ),
            },
            note_id=f.ident("Note id", "NTE"),
        ),
        tool(
            "create_task",
            "Add a task to the to-do list.",
            {
                "title": f.choice("What is to be done", "Call the office"),
                "due_date": f.date("Due day, YYYY-MM-DD"),
                "priority": f.opt(f.enum("Priority", "low", "normal", "high")),
            },
            task_id=f.ident("Task id", "TSK"),
        ),
        tool(
            "convert_currency",
            "Convert an amount of money at today's rate.",
            {
                "amount": f.number("Amount to convert", 10, 900, 2, minimum=0),
                "from_currency": f.currency("Currency of the amount, ISO 4217"),
                "to_currency": f.currency("Currency wanted, ISO 4217"),
            },
            rate=f.calc(
                {"type": "number", "description": "Rate used"},
                lambda s: round(
                    _RATES.get(s.arguments["to_currency"], 1.37) * (0.97 + 0.06 * s.random()), 4
                ),
            ),
            converted_amount=f.calc(
                {"type": "number", "description": "Amount in the wanted currency"},
                lambda s: round(s.arguments["amount"] * s.row["rate"], 2),
            ),
        ),
        tool(
            "get_exchange_rate",
            "Get today's rate between two currencies.",
            {
                "from_currency": f.currency("First currency, ISO 4217"),
                "to_currency": f.currency("Second currency, ISO 4217"),
            },
            rate=f.number("Rate", 0.61, 1.49, 4),
            as_of=f.moment("Time of the rate", 0, 1),
        ),
        tool(
            "translate_text",
            "Translate a text.",
            {
                "text": f.choice("Text to translate", "Good morning"),
                "target_language": f.language("Language wanted, ISO 639-1"),
            },
            translated_text=f.calc(
                {"type": "string", "description": "The translation"},
                _translate,
            ),
            characters=f.calc(
                {"type": "integer", "description": "Characters translated"},
                lambda s: len(s.arguments["text"]),
            ),
        ),
        tool(
            "proofread_text",
            "Check the spelling and grammar of a text.",
            {
                "text": f.choice("Text to check", "Good morning"),
                "language": f.language("Language of the text, ISO 639-1"),
            },
            issues=f.integer("Number of mistakes", 0, 6),
            reading_level=f.enum("How hard it is to read", "easy", "medium", "hard"),
        ),
        tool(
            "generate_pdf",
            "Make a PDF document of a title and a text.",
            {
                "title": f.choice("Title of the document", "Summary"),
                "content": f.choice("Text of the document", "See below."),
                "page_size": f.opt(f.enum("Paper format", "A4", "letter")),
            },
            file_path=f.file_path(
                "Path of the document", "/exports/summary-{}.pdf", "/out/doc-{}.pdf"
            ),
            pages=f.integer("Number of pages", 1, 4),
        ),
        tool(
            "upload_file",
            "Upload a file to the shared drive and get a link to it.",
            {
                "file_path": f.file_path("File to upload", "/tmp/file-{}.pdf"),
                "folder": f.file_path("Folder it goes to", "/shared"),
            },
            file_id=f.code("File id", "fl_", 10),
            share_url=f.url("Link to the file", "https://drive.example.com/s/{}", "d", 8),
        ),
        tool(
            "move_file",
            "Move a file to another folder of the shared drive.",
            {
                "file_path": f.file_path("File to move", "/tmp/file-{}.pdf"),
                "folder": f.file_path("Folder it goes to", "/shared"),
            },
            new_path=f.file_path("Path after the move", "/shared/moved-{}.pdf"),
        ),
        tool(
            "shorten_url",
            "Make a short link of a long one.",
            {"url": f.url("Link to shorten", "https://example.com/{}")},
            short_url=f.url("Short link", "https://sho.rt/{}", "x", 5),
        ),
        tool(
            "append_sheet_row",
            "Append a row to a spreadsheet.",
            {
                "spreadsheet_id": f.ident("Spreadsheet id", "SHT", 5),
                "values": f.array_of("Cells of the row", f.choice("Cell", "x")),
            },
            row_number=f.integer("Number of the new row", 14, 480),
            updated_range=f.template("Range written", lambda s: f"Sheet1!A{s.whole(14, 480)}"),
        ),
    ),
    steps=(
        step(
            "send_email",
            (
                "send the details of the {@thing}[ to {recipient_email}]",
                "write an e-mail about the {@thing}[ to {recipient_email}]",
                "e-mail a summary of the {@thing}[ to {recipient_email}]",
            ),
            ("The e-mail is on its way ({message_id}).", "The message {message_id} was sent."),
            weight=1.2,
            to=slot("recipient_email"),
            subject=const(*_SUBJECTS),
            body=text(
                "Hello, here is the latest: {@brief}. Best regards",
                "Hi, just to let you know: {@brief}.",
                "Dear all, please note {@brief}. Let me know if anything is unclear.",
            ),
        ),
        step(
            "send_email",
            ("mail the document[ to {recipient_email}]",),
            ("The document was sent in message {message_id}.",),
            to=slot("recipient_email"),
            subject=const("Document attached", "The summary you asked for"),
            body=const("Please find the document attached.", "The document is attached."),
            attachment_path=ref("document.file_path"),
        ),
        step(
            "send_sms",
            (
                "send a text message about the {@thing}[ to {mobile}]",
                "text the facts of the {@thing}[ to {mobile}]",
            ),
            ("The text message {sms_id} went out.",),
            phone_number=slot("mobile"),
            message=text("FYI: {@brief}", "All set: {@brief}.", "Heads-up, {@brief}."),
        ),
        step(
            "send_chat_message",
            ("post the {@thing} in {channel}", "share the {@thing} with everyone in {channel}"),
            ("The post {post_id} is up in {channel}.",),
            channel=slot("channel"),
            message=text("Update: {@brief}.", "Done - {@brief}.", "For everyone here: {@brief}."),
        ),
        step(
            "create_calendar_entry",
            (
                "put the {@occasion} into the calendar",
                "add the date of the {@occasion} to the calendar",
            ),
            ("Calendar entry {calendar_entry_id} is in place.",),
            gives("calendar_entry"),
            title=text("Reminder: {@brief}", "Note: {@brief}"),
            start=ref("@day"),
        ),
        step(
            "set_reminder",
            (
                "set a reminder one day before the {@occasion}",
                "add a reminder for the day before the {@occasion}",
            ),
            ("Reminder {reminder_id} is set for {date}.",),
            date=days_after("@day", -1),
            text=const("This is tomorrow", "One day to go", "Prepare for tomorrow"),
        ),
        step(
            "create_note",
            ("keep a note of the {@thing}", "save a note with the key facts of the {@thing}"),
            ("The facts are kept in note {note_id}.",),
            gives("note"),
            title=const("Key facts", "For later", "To remember"),
            content=text("{@brief}", "Keep in mind: {@brief}."),
        ),
        step(
            "create_task",
            (
                "add a to-do that is due two days after the {@occasion}",
                "create a follow-up task for two days after the {@occasion}",
            ),
            ("Task {task_id} is on the list.",),
            title=const("Follow up", "Check that everything went well"),
            due_date=days_after("@day", 2),
        ),
        step(
            "convert_currency",
            (
                "work out what the {@thing} costs in {target_currency}",
                "convert the amount of the {@thing} to {target_currency}",
            ),
            ("That is {converted_amount} {to_currency}.",),
            gives("converted_amount"),
            amount=amount("@amount"),
            from_currency=const("USD"),
            to_currency=slot("target_currency"),
        ),
        step(
            "translate_text",
            ("translate a summary of the {@thing} into {target_language}",),
            ("The translation has {characters} characters.",),
            gives("translation"),
            weight=0.6,
            text=text("Please note: {@brief}.", "Summary: {@brief}."),
            target_language=slot("target_language"),
        ),
        step(
            "send_sms",
            ("text the translation[ to {mobile}]",),
            ("The translation was sent as {sms_id}.",),
            phone_number=slot("mobile"),
            message=ref("translation.translated_text"),
        ),
        step(
            "generate_pdf",
            ("make a PDF about the {@thing}", "put the {@thing} into a PDF"),
            ("The document is at {file_path}.", "The PDF has been written to {file_path}."),
            gives("document"),
            weight=1.2,
            title=const("Summary", "Confirmation", "Overview"),
            content=text("Summary of the request: {@brief}.", "This document confirms {@brief}."),
        ),
        step(
            "upload_file",
            ("upload the document to {folder}", "put the PDF into {folder} on the shared drive"),
            ("It is shared at {share_url}.",),
            gives("upload"),
            weight=1.5,
            file_path=ref("document.file_path"),
            folder=slot("folder"),
        ),
        step(
            "shorten_url",
            ("make a short link to the upload",),
            ("The short link is {short_url}.",),
            gives("short_link"),
            url=ref("upload.share_url"),
        ),
        step(
            "append_sheet_row",
            (
                "log the {@thing} in spreadsheet {sheet_id}",
                "add a line for the {@thing} to sheet {sheet_id}",
            ),
            ("Row {row_number} of the sheet holds it now.",),
            spreadsheet_id=slot("sheet_id"),
            values=listed(text("{@brief}"), const("done", "open")),
        ),
        step(
            "schedule_email",
            (
                "schedule an e-mail about the {@thing} for {send_date}[ to {recipient_email}]",
                "have the details of the {@thing} mailed on {send_date}[ to {recipient_email}]",
            ),
            ("The e-mail will go out as {scheduled_id}.",),
            weight=1.2,
            to=slot("recipient_email"),
            subject=const(*_SUBJECTS),
            body=text(
                "Hello, here is the latest: {@brief}. Best regards",
                "Hi, just to let you know: {@brief}.",
                "Dear all, please note {@brief}. Let me know if anything is unclear.",
            ),
        ),
        step(
            "proofread_text",
            ("have a summary of the {@thing} checked for mistakes",),
            ("The text has {issues} mistakes and is {reading_level} to read.",),
            weight=0.6,
            text=text("Please note: {@brief}.", "Summary: {@brief}."),
            language=const("en"),
        ),
        step(
            "move_file",
            ("move the document to {folder}",),
            ("The document now lies at {new_path}.",),
            gives("moved_file"),
            file_path=ref("document.file_path"),
            folder=slot("folder"),
            weight=1.5,
        ),
    ),
)
