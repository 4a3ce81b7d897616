"""Generates the Python stubs of the protocol.

    python proto/generate.py [FOLDER]        (default: arena/protocol)

The stubs are checked in. A test regenerates them and compares.
"""

import re
import sys
from pathlib import Path

import grpc_tools
from grpc_tools import protoc

HERE = Path(__file__).resolve().parent
BUILTIN = Path(grpc_tools.__file__).parent / "_proto"


def generate(folder: Path) -> list[Path]:
    """Writes the stubs of every .proto file below `folder`. Returns their paths."""
    written = []
    for source in sorted(HERE.glob("arena/*/*.proto")):
        package = folder / source.parent.name
        package.mkdir(parents=True, exist_ok=True)
        (package / "__init__.py").touch()
        run_protoc(source, folder.parent / ".stubs")
        made = folder.parent / ".stubs" / source.parent.relative_to(HERE)
        for stub in sorted(made.glob(f"{source.stem}_pb2*")):
            target = package / stub.name
            target.write_text(relocated(stub.read_text()))
            stub.unlink()
            written.append(target)
        made.rmdir()
    for emptied in (folder.parent / ".stubs" / "arena", folder.parent / ".stubs"):
        emptied.rmdir()
    return written


def run_protoc(source: Path, out: Path) -> None:
    """Runs protoc on one file, without its gRPC plugin. The plugin's output has no types, and both
    sides register their calls manually, because most take bytes
    (arena/service/gateway/play.py)."""
    out.mkdir(parents=True, exist_ok=True)
    outputs = [f"--python_out={out}", f"--pyi_out={out}"]
    if protoc.main(["protoc", f"-I{HERE}", f"-I{BUILTIN}", *outputs, str(source)]) != 0:
        raise SystemExit(f"protoc refused {source}")


def relocated(code: str) -> str:
    """Fixes imports: stubs are in arena/protocol/, the .proto files in arena/."""
    return re.sub(r"from arena\.(v1|internal) import", r"from arena.protocol.\1 import", code)


if __name__ == "__main__":
    default = HERE.parent / "arena" / "protocol"
    for path in generate(Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else default):
        print(path)
