"""Three chat templates, written after the habits of common chat models, for tests."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from jinja2.sandbox import ImmutableSandboxedEnvironment

CHATML = """\
{%- if tools %}
<|im_start|>system
{{ messages[0].content }}

# Tools
{% for tool in tools %}
<tool>{{ tool | tojson }}</tool>
{% endfor %}
<|im_end|>
{% else %}
<|im_start|>system
{{ messages[0].content }}<|im_end|>
{% endif %}
{%- for message in messages[1:] %}
<|im_start|>{{ message.role }}
{{ message.content }}
{%- for call in message.tool_calls or [] %}

{%- set function = call.function %}
<tool_call>
{"name": {{ function.name | tojson }}, "arguments": {{ function.arguments | tojson }}}
</tool_call>
{%- endfor %}
<|im_end|>
{% endfor %}
{%- if add_generation_prompt %}
<|im_start|>assistant
{% endif %}"""

HEADERS = """\
<|begin|>
{%- for message in messages %}
<|start|>{{ message['role'] }}<|end|>

{% if tools and loop.index0 == 1 %}
{% for tool in tools %}
<tool>{{ tool | tojson(indent=4) }}</tool>
{% endfor %}
{% endif %}
{% if 'tool_calls' in message %}
{{ message['content'] }}
{% for call in message['tool_calls'] %}
<tool_call>{"name": "{{ call.function.name }}", "arguments": {
{%- for name, value in call.function.arguments.items() %}
{{ name | tojson }}: {{ value | tojson }}{{ "" if loop.last else ", " }}
{%- endfor %}}}</tool_call>
{% endfor %}
{% else %}
{{ message['content'] | trim }}
{% endif %}
<|eot|>
{%- endfor %}
{%- if add_generation_prompt %}
<|start|>assistant<|end|>

{% endif %}"""

STRICT = """\
{%- for message in messages %}
{%- if message.role not in ("system", "user", "assistant") %}
{{- raise_exception("unknown role") }}
{%- endif %}
{%- for key in message %}
{%- if message[key] is none %}{{- raise_exception("a null: " + key) }}{%- endif %}
{%- endfor %}
{%- for call in message.tool_calls or [] %}
{%- if call.id is not defined or call.id | length != 9 %}
{{- raise_exception("a call's id has nine letters and digits") }}
{%- endif %}
{%- if call.function.arguments is not mapping %}
{{- raise_exception("arguments are an object") }}
{%- endif %}
{%- endfor %}
{%- endfor %}
<s>[SYSTEM]{{ messages[0].content }}[/SYSTEM]
{%- if tools %}
[TOOLS]{% for tool in tools %}<tool>{{ tool | tojson }}</tool>{% endfor %}[/TOOLS]
{%- endif %}
[INST]{{ messages[1].content }}[/INST]
{%- for message in messages[2:] %}
{{ message.content }}
{%- for call in message.tool_calls or [] %}
{%- set function = {"name": call.function.name, "arguments": call.function.arguments} %}
<tool_call>{{ function | tojson }}</tool_call>
{%- endfor %}
</s>
{%- endfor %}"""

TEMPLATES: Mapping[str, str] = {"chatml": CHATML, "headers": HEADERS, "strict": STRICT}

Render = Callable[..., str]


def renderer(template: str) -> Render:
    """Compile a template as transformers does."""
    environment = ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True)
    environment.filters["tojson"] = _to_json
    environment.globals["raise_exception"] = _raise
    compiled = environment.from_string(template)

    def render(
        messages: Sequence[Mapping[str, Any]],
        tools: Sequence[Mapping[str, Any]] | None = None,
        prompt: bool = False,
    ) -> str:
        return compiled.render(messages=messages, tools=tools, add_generation_prompt=prompt)

    return render


def _to_json(value: Any, indent: int | None = None) -> str:
    return json.dumps(value, ensure_ascii=False, indent=indent)


def _raise(message: str) -> None:
    raise ValueError(message)


def rendered_calls(text: str) -> list[Any]:
    """The tool calls that a model would read, parsed once."""
    return [json.loads(call) for call in re.findall(r"<tool_call>(.*?)</tool_call>", text, re.S)]


def rendered_tools(text: str) -> list[Any]:
    """The tools that a model would read, parsed once."""
    return [json.loads(tool) for tool in re.findall(r"<tool>(.*?)</tool>", text, re.S)]
