"""The files of docs/hosting.md, taken apart and given to the programs that they name. `tests/hostile/container.py` and
`tests/hostile/image.py` build and run the container; that takes too long for these tests."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
import threading
import tomllib
from http.server import BaseHTTPRequestHandler, HTTPServer
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Any

import pytest
import yaml
from packaging.requirements import Requirement

from hostile.image import LARGEST
from lapilli.site.runtime.settings import SECRET, SECRET_FILE

ROOT = Path(__file__).resolve().parents[2]
CONTAINERFILE = (ROOT / "Containerfile").read_text(encoding="utf-8").replace("\\\n", " ")
UNIT = (ROOT / "hosting" / "lapilli.service").read_text(encoding="utf-8")
HOSTING = (ROOT / "docs" / "hosting.md").read_text(encoding="utf-8")
LARGEST_LIBRARIES = 400_000_000
"""Bytes of the image's libraries on a disk, at most."""
ENVIRONMENT = {"SITE_HOST": "play.example.org", SECRET: "s" * 32, "DATABASE_PASSWORD": "d" * 32}


def compose() -> dict[str, Any]:
    """With its variables filled in, as Compose does."""

    def value(found: re.Match[str]) -> str:
        name, _, rest = found[1].partition(":")
        return ENVIRONMENT.get(name, rest.removeprefix("-"))

    text = (ROOT / "compose.yaml").read_text(encoding="utf-8")
    read: dict[str, Any] = yaml.safe_load(re.sub(r"\$\{([^}]*)\}", value, text))
    return read


def last(instruction: str) -> list[str]:
    """The words of an instruction of the Containerfile, as JSON has them."""
    found: list[str] = json.loads(re.findall(rf"^{instruction} .*?(\[.*\])$", CONTAINERFILE, re.MULTILINE)[-1])
    return found


def check_taken(words: list[str]) -> None:
    """The program takes these options: what it misses at last is the secret alone."""
    environment = {key: value for key, value in os.environ.items() if key not in (SECRET, SECRET_FILE)}
    done = subprocess.run(
        [sys.executable, "-m", *words], capture_output=True, text=True, timeout=60, env=environment, check=False
    )
    assert (done.returncode, "needs a secret" in done.stderr) == (2, True), done.stderr


def test_the_site_takes_the_options_of_the_containers() -> None:
    site = compose()["services"]["site"]
    check_taken([*last("ENTRYPOINT"), *site["command"]])
    assert site["environment"].keys() <= {SECRET, "PGPASSWORD"}


def test_the_parts_fit_together() -> None:
    told = compose()
    services, networks = told["services"], told["networks"]
    subnet = networks["web"]["ipam"]["config"][0]["subnet"]
    assert f"--behind-proxy={subnet}" in services["site"]["command"]
    assert networks["store"] == {"internal": True}
    assert set(services["site"]["networks"]) & set(services["database"]["networks"]) == {"store"}
    assert set(services["site"]["networks"]) & set(services["proxy"]["networks"]) == {"web"}
    assert "ports" not in services["site"]
    assert "ports" not in services["database"]
    for service in services.values():
        for volume in service["volumes"]:
            source = volume.split(":")[0]
            assert (ROOT / source).is_file() if source.startswith(".") else source in told["volumes"]
    port = re.search(r"^EXPOSE (\d+)$", CONTAINERFILE, re.MULTILINE)
    assert port is not None
    assert f"reverse_proxy site:{port[1]}" in (ROOT / "hosting" / "Caddyfile").read_text(encoding="utf-8")
    assert "USER lapilli" in CONTAINERFILE
    assert "bubblewrap" in CONTAINERFILE


def test_the_image_is_built_of_what_is_there() -> None:
    copied = re.findall(r"^COPY (?!--)(.*) \S+$", CONTAINERFILE, re.MULTILINE)
    sources = [source for line in copied for source in line.split()]
    shown = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    for source in sources:
        assert (ROOT / source).exists()
        assert f"!{source}" in shown
    with (ROOT / "pyproject.toml").open("rb") as file:
        extras = tomllib.load(file)["project"]["optional-dependencies"]
    for used in re.findall(r"'\S*\[([a-z,]+)\]'", CONTAINERFILE + HOSTING):
        assert set(used.split(",")) <= extras.keys()


def needed(*extras: str) -> list[Requirement]:
    """What pyproject.toml asks for, with these extras."""
    with (ROOT / "pyproject.toml").open("rb") as file:
        project = tomllib.load(file)["project"]
    lines = [*project["dependencies"], *(line for extra in extras for line in project["optional-dependencies"][extra])]
    return list(map(Requirement, lines))


def locked(name: str) -> dict[str, tuple[str, int]]:
    """The packages of a lock: version and number of hashes."""
    text = (ROOT / "hosting" / name).read_text(encoding="utf-8").replace("\\\n", " ")
    found = re.findall(r"^([a-z0-9][a-z0-9-]*)==(\S+)((?: +--hash=sha256:[0-9a-f]{64})+) *$", text, re.MULTILINE)
    assert len(found) == len([line for line in text.splitlines() if line and not line.lstrip().startswith("#")])
    return {package: (version, hashes.count("--hash")) for package, version, hashes in found}


def test_the_lock_has_all_that_the_image_needs_in_versions_that_fit() -> None:
    versions = locked("requirements.lock")
    for requirement in needed("site", "postgres"):
        name = requirement.name.lower().replace("_", "-")
        assert requirement.specifier.contains(versions[name][0]), requirement
    with (ROOT / "pyproject.toml").open("rb") as file:
        for line in tomllib.load(file)["build-system"]["requires"]:
            requirement = Requirement(line)
            assert requirement.specifier.contains(locked("build.lock")[requirement.name][0])


def test_the_locks_name_nothing_of_the_machine_that_made_them() -> None:
    for name in ("requirements.lock", "build.lock"):
        text = (ROOT / "hosting" / name).read_text(encoding="utf-8")
        assert not re.search(r"://|^-|(?<![\w/])/\w", text, re.MULTILINE)


@pytest.mark.skipif(not os.environ.get("CI"), reason="needs pypi.org; CI has it")
@pytest.mark.parametrize("name", ["requirements.lock", "build.lock"])
def test_pip_takes_the_lock(name: str) -> None:
    """What it names is there, for the image's Python, and its hashes are right."""
    words = "install --dry-run --ignore-installed --require-hashes --no-deps --only-binary :all: --quiet -r"
    command = [sys.executable, "-m", "pip", *words.split(), str(ROOT / "hosting" / name)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stderr


def test_the_images_are_named_by_digest() -> None:
    pinned = re.compile(r"docker\.io/library/[a-z]+:\d+\.\d+[\w.-]*@sha256:[0-9a-f]{64}")
    images = [service["image"] for service in compose()["services"].values() if "image" in service]
    froms = re.findall(r"^FROM (\S+)", CONTAINERFILE, re.MULTILINE)
    assert set(froms) == {"$PYTHON"}
    images += re.findall(r"^ARG PYTHON=(\S+)$", CONTAINERFILE, re.MULTILINE)
    assert len(images) == 3
    assert [image for image in images if not pinned.fullmatch(image)] == []


def test_pip_installs_in_the_image_by_hash_alone() -> None:
    lines = re.findall(r"pip (?:--python \S+ )?(?:install|wheel) ([^&]*)", CONTAINERFILE)
    assert len(lines) == CONTAINERFILE.count("/pip ") == 4
    for line in lines:
        assert "--require-hashes" in line or {"--no-index", "--no-deps"} <= set(line.split())


def test_a_release_measures_the_image() -> None:
    jobs = yaml.safe_load((ROOT / ".github" / "workflows" / "release.yml").read_text(encoding="utf-8"))["jobs"]
    assert jobs["publish"]["needs"] == "image"
    (measured,) = (step["run"] for step in jobs["image"]["steps"] if "image.py" in step.get("run", ""))
    assert measured.endswith(" python tests/hostile/image.py")
    assert LARGEST == 300_000_000


def test_the_libraries_of_the_image_stay_small() -> None:
    """They are most of the image, which only a release measures. Their tests do not get into it."""
    sizes = {name: size_on_disk(name) for name in locked("requirements.lock")}
    assert 100e6 < sum(sizes.values()) < LARGEST_LIBRARIES, sorted(sizes.items(), key=lambda item: -item[1])[:8]


def size_on_disk(name: str) -> int:
    """The bytes of a package's files, without its tests; 0 if it is not installed here."""
    try:
        files = distribution(name).files or []
    except PackageNotFoundError:
        return 0
    places = [Path(file.locate()) for file in files if "tests" not in file.parts]
    return sum(place.stat().st_size for place in places if place.is_file())


def test_every_part_is_bounded_and_gains_no_rights() -> None:
    for service in compose()["services"].values():
        assert service["mem_limit"] == service["memswap_limit"]
        assert service["pids_limit"]
        assert "no-new-privileges:true" in service["security_opt"]
    site = compose()["services"]["site"]
    assert site["read_only"]
    assert site["cap_drop"] == ["ALL"]
    for line in ("MemoryMax=6G", "MemorySwapMax=0", "TasksMax=4096", "NoNewPrivileges=yes", "KeyringMode=private"):
        assert line in UNIT.splitlines()


def test_the_filter_of_system_calls_allows_the_sandbox_and_little_else() -> None:
    (option,) = (text for text in compose()["services"]["site"]["security_opt"] if text.startswith("seccomp="))
    profile = json.loads((ROOT / option.partition("=")[2]).read_text(encoding="utf-8"))
    assert profile["defaultAction"] == "SCMP_ACT_ERRNO"
    freely = {name for rule in profile["syscalls"] if "args" not in rule for name in rule["names"]}
    assert freely >= {"clone", "mount", "pivot_root", "seccomp", "sethostname", "umount2", "unshare"}
    refused = "io_uring_setup userfaultfd perf_event_open bpf ptrace keyctl add_key request_key kcmp vmsplice setns"
    refused += " modify_ldt memfd_secret process_vm_readv open_by_handle_at name_to_handle_at kexec_load init_module"
    assert freely & set(refused.split()) == set()


def test_the_health_check_tells_health() -> None:
    class Healthy(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200 if self.path == "/healthz" else 404)
            self.end_headers()

        def log_message(self, *args: object) -> None:
            """Nothing is written."""

    server = HTTPServer(("127.0.0.1", 0), Healthy)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    _, option, script = last("HEALTHCHECK")
    assert "127.0.0.1:8480" in script
    command = [sys.executable, option, script.replace("8480", str(server.server_port))]
    environment = os.environ | {"no_proxy": "127.0.0.1"}
    assert subprocess.run(command, timeout=30, env=environment, check=False).returncode == 0
    server.shutdown()
    thread.join()
    server.server_close()
    done = subprocess.run(command, timeout=30, env=environment, capture_output=True, check=False)
    assert done.returncode != 0


def test_the_service_starts_the_site() -> None:
    started = re.search(r"^ExecStart=(.*)$", UNIT, re.MULTILINE)
    assert started is not None
    words = shlex.split(started[1])
    assert words[0] == "/opt/lapilli/bin/lapilli"
    check_taken(["lapilli", *words[1:]])
    assert f"{SECRET_FILE}=%d/secret" in UNIT


def test_the_page_names_no_option_that_there_is_not() -> None:
    """Those of the site, or of commands that the page itself names."""
    helped = subprocess.run(
        [sys.executable, "-m", "lapilli", "site", "--help"],
        capture_output=True,
        text=True,
        timeout=60,
        env=os.environ | {"COLUMNS": "200"},
        check=True,
    )
    others = "build detach system home-dir mode directory full now unit owner username format dbname pull no-cache"
    others += " address num-cpus base require-hashes no-deps"
    named = set(re.findall(r"(?<![\w-])--((?:[a-z]+-)*[a-z]+)", HOSTING)) - set(others.split())
    assert {name for name in named if f"--{name} " not in helped.stdout} == set()
