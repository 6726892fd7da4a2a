"""What a compiler might run of a stranger's while it compiles."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from lapilli.players.bots.build import build

PROCESSOR = """\
import java.util.Set;
import javax.annotation.processing.*;
import javax.lang.model.element.TypeElement;

@SupportedAnnotationTypes("*")
public class Planted extends AbstractProcessor {
    public boolean process(Set<? extends TypeElement> annotations, RoundEnvironment environment) {
        try (var file = new java.io.FileWriter("/tmp/out/processed")) {
            file.write("here I was");
        } catch (java.io.IOException error) {
        }
        return false;
    }
}
"""
BOT = "public class Bot { @Deprecated public static void main(String[] words) { System.out.println(7); } }\n"


@pytest.mark.usefixtures("needs_sandbox")
def test_javac_runs_no_annotation_processor_that_lies_beside_a_bot(tmp_path: Path) -> None:
    if shutil.which("javac") is None:
        assert not os.environ.get("CI"), ".ci/run installs javac"
        pytest.skip("there is no javac")
    services = tmp_path / "META-INF" / "services"
    services.mkdir(parents=True)
    (services / "javax.annotation.processing.Processor").write_text("Planted\n")
    (tmp_path / "Planted.java").write_text(PROCESSOR)
    subprocess.run(["javac", "-proc:none", "Planted.java"], cwd=tmp_path, check=True)
    build("java", BOT, tmp_path)
    assert (tmp_path / "Bot.class").exists()
    assert not (tmp_path / "processed").exists()
