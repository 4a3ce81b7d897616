"""deploy/kubernetes fits the schemas of Kubernetes, and its files fit each other."""

import re
from itertools import product
from pathlib import Path
from typing import Any

import kubernetes_validate
import pytest
import yaml

from tests.docs.commands import problems
from tests.manifests import (
    ALL,
    FOLDER,
    OF,
    README,
    Manifest,
    kustomization,
    kustomizations,
    manifests_in,
)

RELEASES = ("1.29", kubernetes_validate.latest_version())  # the oldest that the README names
# Not Kubernetes' own, so there is no schema here: what they refer to is checked elsewhere.
OF_OTHERS = {"Gateway", "GRPCRoute", "HTTPRoute", "PodMonitor", "PrometheusRule", "ScaledObject"}

# Components that neither overlay has, since they need what few clusters have.
OPTIONAL = {FOLDER / "components" / "archive"}


@pytest.mark.parametrize("manifest", ALL, ids=str)
def test_each_manifest_fits_its_schema(manifest: Manifest) -> None:
    if manifest.kind in OF_OTHERS:
        assert re.search(r"^[a-z0-9.]+/v1(alpha1)?$", manifest.content["apiVersion"])
        return
    for release in RELEASES:
        kubernetes_validate.validate(manifest.content, release, strict=True)


def test_each_file_is_named_by_a_kustomization_and_each_name_is_a_file() -> None:
    named = {place for each in kustomizations() for place in each.named()}
    named |= {file.resolve() for each in kustomizations() for file, _ in each.patches()}
    top = {each.folder for each in kustomizations() if each.folder.parent.name == "overlays"}
    there = {file for file in FOLDER.rglob("*.yaml") if file.name != "kustomization.yaml"}

    assert all(place.exists() for place in named)
    assert there <= named
    used = named | top | OPTIONAL
    assert {each.folder for each in kustomizations()} <= used


def check_aim(file: Path, target: Any, known: list[Manifest]) -> None:
    """Whether a JSON patch changes something, and in every resource that its target names."""
    whole = re.compile(target["name"])
    (names,) = re.findall(r"\((.+)\)", target["name"])
    hit = [each for each in known if each.kind == target["kind"] and whole.fullmatch(each.name)]
    assert len({each.name for each in hit}) == len(names.split("|")), file
    for operation, each in product(yaml.safe_load(file.read_text()), hit):
        place = each.content
        for key in operation["path"].strip("/").split("/"):
            if isinstance(place, list):
                assert key == "-" or int(key) < len(place), f"{operation['path']} of {each}"
                place = None if key == "-" else place[int(key)]
            else:
                assert key in place, f"{operation['path']} of {each}"
                place = place[key]


@pytest.mark.long
def test_patches_replicas_and_generators_are_about_what_is_there() -> None:
    for each in kustomizations():
        base = kustomization(FOLDER / "base").resources()
        known = {(manifest.kind, manifest.name) for manifest in [*base, *each.resources()]}
        for file, target in each.patches():
            if target:
                check_aim(file, target, [*base, *each.resources()])
            else:
                for manifest in manifests_in(file):
                    assert (manifest.kind, manifest.name) in known, file
        replicated = {("Deployment", entry["name"]) for entry in each.content.get("replicas", ())}
        assert replicated <= known
        for generator in each.content.get("configMapGenerator", ()):
            assert generator["name"] == "arena"
            assert all((each.folder / env).exists() for env in generator.get("envs", ()))


def test_all_of_an_arena_is_in_its_namespace() -> None:
    (namespace,) = OF["Namespace"]
    for each in kustomizations():
        brings = each.folder.name == "base" or "components" in each.content
        assert each.content.get("namespace") == (namespace.name if brings else None), each.folder


def test_no_names_twice() -> None:
    for each in kustomizations():
        names = [(manifest.kind, manifest.name) for manifest in each.resources()]
        assert len(names) == len(set(names)), each.folder


def test_nothing_secret_is_in_any_file() -> None:
    assert "Secret" not in OF
    for file in FOLDER.rglob("*"):
        if file.is_file() and file.suffix != ".md":
            assert not re.search(r"(postgresql|rediss?)://", file.read_text()), file


def test_commands_in_the_readme_exist() -> None:
    lines = re.findall(r"(?<=-- )arena .+|^(?:arena|make) .+", README, re.MULTILINE)
    assert lines
    assert problems(lines, whole=True) == []
    for place in re.findall(r"`(base|components/[\w-]+|overlays/\w+)`", README):
        assert (FOLDER / place).is_dir(), place
