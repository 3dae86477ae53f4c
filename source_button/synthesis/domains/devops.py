"""Servers, deployments, incidents and logs."""

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

_SERVICES = (
    "checkout-api",
    "auth-service",
    "search-indexer",
    "billing-worker",
    "image-proxy",
    "notifications",
    "inventory-sync",
    "session-store",
)

_FAULTS = (
    "connection pool exhausted",
    "upstream timed out",
    "memory limit reached",
    "TLS handshake failed",
    "queue lagging behind",
    "disk quota exceeded",
)

DOMAIN = Domain(
    name="devops",
    openings=(
        "I'm on call today and something looks off.",
        "We plan to ship the next version this afternoon.",
        "Our cloud bill has gone up again.",
        "Before the weekend freeze I want everything in a safe state.",
    ),
    slots={
        "service": f.unique("Service", *_SERVICES),
        "services": f.unique("Service", *_SERVICES),
        "region": f.enum("Region", "eu-west-1", "us-east-1", "ap-southeast-2", "eu-central-1"),
        "oncall_channel": f.choice("Channel", "#incidents", "#on-call", "#platform"),
    },
    facts={"region": ("Everything runs in {region}.", "The region is {region}.")},
    tools=(
        tool(
            "get_service_health",
            "Get error rate, latency and the busiest host of a service.",
            {
                "service": f.unique("Name of the service", *_SERVICES),
                "region": f.opt(
                    f.enum("Region", "eu-west-1", "us-east-1", "ap-southeast-2", "eu-central-1")
                ),
            },
            service=f.echo("service"),
            error_rate_percent=f.number("Share of failed requests in percent", 0.41, 9.83, 2),
            p95_latency_ms=f.integer("95th percentile of latency in ms", 131, 2890),
            busiest_host_ip=f.ip("Host with the highest load"),
            deployment_id=f.code("Deployment that runs now", "dep-", 8),
        ),
        tool(
            "get_service_config",
            "Get the settings of a service.",
            {
                "service": f.unique("Name of the service", *_SERVICES),
                "region": f.opt(
                    f.enum("Region", "eu-west-1", "us-east-1", "ap-southeast-2", "eu-central-1")
                ),
            },
            config_path=f.file_path("Path of the settings", "/etc/svc/conf-{}.yaml"),
            replicas=f.integer("Replicas", 2, 12),
        ),
        tool(
            "search_logs",
            "Search the logs of a host for a severity within the last minutes.",
            {
                "host_ip": f.ip("Host"),
                "severity": f.enum("Lowest severity", "warning", "error", "critical"),
                "minutes": f.count("Minutes back", 15, 180, 1440),
                "contains": f.opt(f.choice("Text to look for", "timeout", "refused", "OOM")),
            },
            matches=f.rows(
                "Log lines",
                f.record(
                    "A log line",
                    log_id=f.code("Id of the line", "log_", 10),
                    path=f.file_path(
                        "Source file", "/srv/app/handlers-{}.py", "/srv/app/worker-{}.py"
                    ),
                    message=f.template(
                        "Text",
                        lambda s: f"{s.take(_FAULTS)} after {s.whole(1100, 9800)} ms",
                    ),
                    repeated=f.integer("How often", 11, 940),
                ),
            ),
        ),
        tool(
            "search_metrics",
            "Search the metrics of a host over the last minutes.",
            {
                "host_ip": f.ip("Host"),
                "metric": f.enum("Metric", "cpu", "memory", "disk_io"),
                "minutes": f.count("Minutes back", 15, 180, 1440),
            },
            peak=f.number("Highest value in percent", 51.2, 99.1, 2),
            average=f.number("Average in percent", 21.2, 88.1, 2),
            dashboard_url=f.url("Dashboard", "https://grafana.example.com/d/{}"),
        ),
        tool(
            "get_deployment",
            "Get version and author of a deployment.",
            {"deployment_id": f.code("Deployment id", "dep-", 8)},
            deployment_id=f.echo("deployment_id"),
            version=f.template(
                "Version", lambda s: f"v{s.whole(2, 9)}.{s.whole(10, 48)}.{s.whole(0, 19)}"
            ),
            previous_version=f.template(
                "Version before", lambda s: f"v1.{s.whole(10, 98)}.{s.whole(0, 19)}"
            ),
            author_email=f.email("Author's address"),
            deployed_at=f.moment("When it was deployed", 0, 1),
        ),
        tool(
            "list_deployments",
            "List the latest deployments, or those before a given one.",
            {
                "deployment_id": f.opt(f.code("Deployment to start from", "dep-", 8)),
                "limit": f.count("How many", 3, 10, 50),
            },
            latest=f.code("Latest deployment id", "dep-", 8),
            total=f.integer("Number of deployments", 14, 310),
        ),
        tool(
            "rollback_deployment",
            "Put a service back to an earlier version.",
            {
                "deployment_id": f.code("Deployment to undo", "dep-", 8),
                "target_version": f.template(
                    "Version to go back to", lambda s: f"v1.{s.whole(10, 98)}.0"
                ),
                "drain_seconds": f.opt(f.count("Seconds to drain", 30, 120, 600)),
            },
            rollback_id=f.code("Id of the rollback", "rb-", 8),
            finished_at=f.moment("When it finished", 0, 1),
        ),
        tool(
            "restart_deployment",
            "Restart the instances of a deployment.",
            {
                "deployment_id": f.code("Deployment to restart", "dep-", 8),
                "drain_seconds": f.opt(f.count("Seconds to drain", 30, 120, 600)),
            },
            restart_id=f.code("Id of the restart", "rs-", 8),
            instances=f.integer("Instances restarted", 2, 14),
        ),
        tool(
            "scale_service",
            "Change the number of replicas of a service.",
            {
                "service": f.unique("Name of the service", *_SERVICES),
                "replicas": f.count("Replicas wanted", 4, 16, 64),
                "reason": f.opt(f.choice("Reason", "peak load", "latency")),
            },
            scaling_id=f.code("Id of the change", "scl-", 8),
            hourly_cost=f.dollars("Cost an hour", 2, 38),
        ),
        tool(
            "open_incident",
            "Open an incident for a log message.",
            {
                "title": f.choice("Title", "Errors on host"),
                "severity_level": f.enum("Severity", "sev1", "sev2", "sev3"),
                "evidence": f.opt(f.array_of("Ids of log lines", f.code("Log id", "log_", 10))),
            },
            incident_id=f.ident("Incident id", "INC", 5),
            commander_email=f.email("Who is in charge"),
            war_room_url=f.url("Meeting", "https://meet.example.com/inc-{}"),
        ),
        tool(
            "open_change_request",
            "Ask for approval of a planned change.",
            {
                "title": f.choice("Title", "Change"),
                "severity_level": f.opt(f.enum("Severity", "sev1", "sev2", "sev3")),
            },
            change_id=f.ident("Change id", "CHG", 5),
        ),
        tool(
            "create_snapshot",
            "Take a snapshot of a host's disk.",
            {"host_ip": f.ip("Host"), "retention_days": f.count("Days to keep it", 7, 30, 365)},
            snapshot_id=f.code("Snapshot id", "snap-", 10),
            size_gb=f.number("Size in gigabytes", 21.3, 480.9),
            expires_on=f.date("Last day", 7, 40),
        ),
        tool(
            "close_incident",
            "Close an incident with a note on the cause.",
            {
                "incident_id": f.ident("Incident id", "INC", 5),
                "root_cause": f.choice("Cause", "bad deploy"),
            },
            postmortem_url=f.url("Page for the review", "https://wiki.example.com/pm/{}"),
            closed_at=f.moment("When it was closed", 0, 1),
        ),
        tool(
            "get_cloud_costs",
            "Get the cloud costs of a service for a span of days.",
            {
                "service": f.unique("Name of the service", *_SERVICES),
                "start_date": f.past_date("First day, YYYY-MM-DD", 31, 60),
                "end_date": f.past_date("Last day, YYYY-MM-DD", 1, 9),
            },
            service=f.echo("service"),
            cost_usd=f.price("Cost in US dollars", 210, 8900),
            invoice_id=f.ident("Invoice id", "CIV"),
        ),
        tool(
            "create_cost_report",
            "Make a report of several services' costs.",
            {
                "service_costs": f.array_of("Costs of each service", f.record("Costs")),
                "total_usd": f.price("Sum in US dollars", 900, 30000),
            },
            report_url=f.url("Report", "https://finops.example.com/r/{}"),
            savings_percent=f.number("Possible savings in percent", 4.2, 31.8),
        ),
    ),
    entities=(
        Entity(
            "health",
            ("{error_rate_percent}% errors and {p95_latency_ms} ms at p95 on {busiest_host_ip}",),
            noun="service health",
        ),
        Entity("log_line", ("log line {log_id}: {message}",), noun="most frequent log line"),
        Entity("metrics", ("a peak of {peak}%, see {dashboard_url}",), noun="metrics"),
        Entity(
            "deployment",
            ("version {version} by {author_email}",),
            None,
            None,
            "deployment",
        ),
        Entity(
            "rollback",
            ("rollback {rollback_id}, finished {finished_at}",),
            None,
            None,
            "rollback",
        ),
        Entity("rollback_choice"),
        Entity(
            "scaling",
            ("scaling {scaling_id} for {hourly_cost} an hour",),
            "hourly_cost",
            noun="scaling",
        ),
        Entity("incident", ("incident {incident_id}, join at {war_room_url}",), noun="incident"),
        Entity(
            "snapshot",
            ("snapshot {snapshot_id}, kept until {expires_on}",),
            None,
            "expires_on",
            "snapshot",
            "end of the snapshot",
        ),
        Entity(
            "postmortem",
            ("the review page {postmortem_url}",),
            None,
            None,
            "incident review",
        ),
        Entity(
            "cost", ("cloud invoice {invoice_id} over ${cost_usd}",), "cost_usd", noun="cloud costs"
        ),
        Entity("cost_report", ("the cost report {report_url}",), noun="cost report"),
        Entity("service_config", ("{replicas} replicas set in {config_path}",), noun="settings"),
        Entity("past_deployment", ("deployment {latest} before it",), noun="earlier deployment"),
        Entity("change_request", ("change request {change_id}",), noun="change request"),
    ),
    twins=(
        ("get_service_health", "get_service_config"),
        ("search_logs", "search_metrics"),
        ("get_deployment", "list_deployments"),
        ("rollback_deployment", "restart_deployment"),
        ("open_incident", "open_change_request"),
    ),
    steps=(
        step(
            "get_service_health",
            (
                "check the health of {service}[ in {region}]",
                "see how {service} is doing[ in {region}]",
            ),
            ("{service} has {error_rate_percent}% errors; {busiest_host_ip} is the busiest host.",),
            gives("health"),
            weight=2,
        ),
        step(
            "get_service_health",
            ("compare the health of {services}[ in {region}]",),
            ("{service} fails {error_rate_percent}% of requests (host {busiest_host_ip}).",),
            gives("health", "", "max error_rate_percent"),
            fan="services",
            service=slot("services"),
            weight=1.2,
        ),
        step(
            "search_logs",
            (
                "search the busiest host's logs of the last {minutes} minutes for {severity} "
                "lines[ with '{contains}']",
            ),
            ("Most frequent is '{message}' ({repeated} times).",),
            gives("log_line", "/matches/*", "max repeated"),
            host_ip=ref("health.busiest_host_ip"),
            weight=1.6,
        ),
        step(
            "search_metrics",
            ("look at the {metric} of the busiest host over the last {minutes} minutes",),
            ("It peaked at {peak}%, see {dashboard_url}.",),
            gives("metrics"),
            host_ip=ref("health.busiest_host_ip"),
        ),
        step(
            "get_deployment",
            (
                "find out which version is running and who deployed it",
                "look up the deployment behind it",
            ),
            ("It is {version} by {author_email}, before that {previous_version} ran.",),
            gives("deployment"),
            deployment_id=ref("health.deployment_id"),
            weight=1.3,
        ),
        step(
            "create_snapshot",
            (
                "take a snapshot of the busiest host for the auditors that is kept for "
                "{retention_days} days",
            ),
            ("Snapshot {snapshot_id} has {size_gb} GB.",),
            gives("snapshot"),
            host_ip=ref("health.busiest_host_ip"),
        ),
        step(
            "rollback_deployment",
            ("roll back to the version before[ with {drain_seconds} seconds to drain]",),
            ("Rollback {rollback_id} finished at {finished_at}.",),
            gives("rollback"),
            deployment_id=ref("health.deployment_id"),
            target_version=ref("deployment.previous_version"),
            weight=1.8,
        ),
        step(
            "restart_deployment",
            ("restart the deployment[ with {drain_seconds} seconds to drain]",),
            ("{instances} instances were restarted ({restart_id}).",),
            gives("rollback_choice"),
            deployment_id=ref("health.deployment_id"),
            weight=0.5,
        ),
        step(
            "scale_service",
            ("scale {service} to {replicas} replicas[ because of {reason}]",),
            ("Scaling {scaling_id} costs {hourly_cost} an hour.",),
            gives("scaling"),
            weight=0.8,
        ),
        step(
            "open_incident",
            ("open a {severity_level} incident for the most frequent log line",),
            ("Incident {incident_id} is open, {commander_email} leads it.",),
            gives("incident"),
            title=text("{log_line.message}", "Investigate: {log_line.message}"),
            evidence=every("log_line.log_id"),
            weight=1.8,
        ),
        step(
            "send_email",
            ("write to the author of the deployment",),
            ("The author was told ({message_id}).",),
            to=ref("deployment.author_email"),
            subject=const("Your deployment", "Question about a deployment"),
            body=text(
                "Hi, your version {deployment.version} shows {health.error_rate_percent}% "
                "errors. Could you have a look?"
            ),
        ),
        step(
            "send_email",
            ("invite the incident's lead to the war room",),
            ("The invitation {message_id} was sent.",),
            to=ref("incident.commander_email"),
            subject=const("War room"),
            body=text("Please join {incident.war_room_url} for {incident.incident_id}."),
        ),
        step(
            "close_incident",
            ("close the incident with the log file as its cause",),
            ("It is closed; the review is at {postmortem_url}.",),
            gives("postmortem"),
            incident_id=ref("incident.incident_id"),
            root_cause=text("Traced to {log_line.path}", "Fault in {log_line.path}"),
            weight=1.2,
        ),
        step(
            "get_cloud_costs",
            ("get the cloud costs of {services} from {start_date} to {end_date}",),
            ("{service} cost ${cost_usd} ({invoice_id}).",),
            gives("cost", "", "max cost_usd"),
            fan="services",
            service=slot("services"),
            weight=1.6,
        ),
        step(
            "create_cost_report",
            ("put the costs and their sum into a report",),
            ("The report is at {report_url}; {savings_percent}% could be saved.",),
            gives("cost_report"),
            service_costs=every("cost"),
            total_usd=total("cost.cost_usd"),
            weight=2,
        ),
        step(
            "get_service_config",
            (
                "read the settings of {service}[ in {region}]",
                "look up how {service} is set up[ in {region}]",
            ),
            ("It runs {replicas} replicas, set in {config_path}.",),
            gives("service_config"),
            weight=2,
        ),
        step(
            "list_deployments",
            ("list the {limit} deployments before the running one",),
            ("The one before is {latest}, {total} are known.",),
            gives("past_deployment"),
            deployment_id=ref("health.deployment_id"),
            weight=1.3,
        ),
        step(
            "open_change_request",
            ("ask for approval of a[ {severity_level}] change against the most frequent log line",),
            ("Change request {change_id} waits for approval.",),
            gives("change_request"),
            title=text("Stop: {log_line.message}", "Fix: {log_line.message}"),
            weight=1.2,
        ),
    ),
)
