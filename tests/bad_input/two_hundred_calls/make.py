"""A talk of 200 calls, each of which uses the train that the one before it found."""

import json
from pathlib import Path

talk = json.loads(Path("good.jsonl").read_text(encoding="utf-8"))
system, user, *_, last = talk["messages"]
messages = [system, user]
for number in range(100):
    train = f"XC-{4471 + number}"
    for name, arguments, results in (
        (
            "search_trains",
            {"origin": f"City {number}", "destination": "Bristol", "date": "2024-05-17"},
            {"trains": [{"train_id": train, "departs": "08:11", "price": 54.5}]},
        ),
        (
            "reserve_seat",
            {"train_id": train, "passenger": "Moira Kessler"},
            {"reservation": f"RS-{20931 + number}", "coach": "C", "seat": "41A"},
        ),
    ):
        call = {"name": name, "arguments": arguments}
        messages.append(
            {"role": "assistant", "content": f"Next.\n<call>[{json.dumps(call)}]</call>"}
        )
        messages.append({"role": "tool", "content": json.dumps([{**call, "results": results}])})
messages.append(last)
with open("input.jsonl", "w", encoding="utf-8") as file:
    file.write(json.dumps({"messages": messages}) + "\n")
