"""Reads deploy/kubernetes for tests: manifests by file, pods, kustomizations."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "deploy" / "kubernetes"
KUSTOMIZATION = "kustomization.yaml"
COMPONENT = "app.kubernetes.io/component"
WORKLOADS = ("Deployment", "Job")


@dataclass(frozen=True)
class Manifest:
    """A resource in a file."""

    file: Path
    content: Any

    @property
    def kind(self) -> str:
        return str(self.content["kind"])

    @property
    def name(self) -> str:
        return str(self.content["metadata"]["name"])

    @property
    def pod(self) -> Any:
        """The pod template of a Deployment or Job."""
        return self.content["spec"]["template"]

    @property
    def component(self) -> str:
        return str(self.pod["metadata"]["labels"][COMPONENT])

    @property
    def containers(self) -> list[Any]:
        """All containers of a pod, including init containers."""
        spec = self.pod["spec"]
        return [*spec.get("initContainers", ()), *spec["containers"]]

    @property
    def main(self) -> Any:
        """The container of the arena's process."""
        (container,) = self.pod["spec"]["containers"]
        return container

    def __str__(self) -> str:
        return f"{self.kind} {self.name} in {self.file.relative_to(FOLDER)}"


@dataclass(frozen=True)
class Kustomization:
    """A kustomization.yaml."""

    folder: Path
    content: Any

    def named(self) -> list[Path]:
        """Files and folders of its resources."""
        places = [*self.content.get("resources", ()), *self.content.get("components", ())]
        return [(self.folder / place).resolve() for place in places]

    def patches(self) -> Iterator[tuple[Path, Any]]:
        """Files of patches, each with its target, if given."""
        for patch in self.content.get("patches", ()):
            yield self.folder / patch["path"], patch.get("target")

    def resources(self) -> list[Manifest]:
        """All resources, including its bases' resources, without patches."""
        found: list[Manifest] = []
        for place in self.named():
            found += kustomization(place).resources() if place.is_dir() else manifests_in(place)
        return found


def kustomization(folder: Path) -> Kustomization:
    return Kustomization(folder, yaml.load((folder / KUSTOMIZATION).read_text(), yaml.CSafeLoader))


def kustomizations() -> list[Kustomization]:
    return [kustomization(file.parent) for file in sorted(FOLDER.rglob(KUSTOMIZATION))]


def manifests_in(file: Path) -> list[Manifest]:
    contents = yaml.load_all(file.read_text(), yaml.CSafeLoader)  # the fast loader
    return [Manifest(file, content) for content in contents]


def manifests() -> list[Manifest]:
    """Every resource of every file, without patches."""
    patches = {file.resolve() for each in kustomizations() for file, _ in each.patches()}
    files = [file for file in sorted(FOLDER.rglob("*.yaml")) if file.name != KUSTOMIZATION]
    kept = [file for file in files if file.resolve() not in patches]
    return [manifest for file in kept for manifest in manifests_in(file)]


def settings() -> dict[str, str]:
    """The ARENA_* variables of all processes."""
    lines = (FOLDER / "base" / "settings.env").read_text().splitlines()
    return dict(line.split("=", 1) for line in lines if line and not line.startswith("#"))


def spec(manifest: Manifest) -> Any:
    return manifest.content["spec"]


def matches(selector: Any, manifest: Manifest) -> bool:
    """Whether a selector matches these pods."""
    labels = manifest.pod["metadata"]["labels"]
    return bool(selector["matchLabels"].items() <= labels.items())


def variables(container: Any) -> dict[str, Any]:
    """A container's variables with their values or sources."""
    return {each["name"]: each.get("valueFrom", each.get("value")) for each in container["env"]}


README = (FOLDER / "README.md").read_text()
ALL = manifests()
OF = {kind: [each for each in ALL if each.kind == kind] for kind in {each.kind for each in ALL}}
PODS = [manifest for manifest in ALL if manifest.kind in WORKLOADS]
DEPLOYMENTS = {each.component: each for each in OF["Deployment"]}
