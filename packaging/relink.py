"""Links a build's objects once more, with Swift's runtime in the program, as a release has it. Seconds instead of a build."""
import pathlib
import re
import shutil

import product

#: What Foundation's archives need of each other. A build with the static runtime names it in its objects; one without does not.
FOUNDATION = ("CoreFoundation", "Foundation", "FoundationEssentials", "FoundationInternationalization", "_FoundationCShims",
              "_FoundationCollections", "_FoundationICU")
NETWORKING = ("FoundationNetworking", "_CFURLSessionInterface", "curl")
_RUNTIME = re.compile(r"lib(swift|_?Foundation|dispatch|BlocksRuntime)|lib(c|gcc_s)\.so|ld-linux")


def relink(build, output):
    """Makes both programs of a build's folder, such as .build/debug, in `output`."""
    build, output = pathlib.Path(build).resolve(), pathlib.Path(output)
    output.mkdir(parents=True, exist_ok=True)
    for name in product.PROGRAMS:
        needed = product.needed_libraries(build / name)
        libraries = [f"-l{re.sub(r'^lib|[.]so.*$', '', library)}" for library in needed if not _RUNTIME.match(library)]
        archives = [*FOUNDATION, *(NETWORKING if "libFoundationNetworking.so" in needed else ())]
        product.run(
            shutil.which("swiftc") or "swiftc", "-static-stdlib", "-emit-executable", "-use-ld=lld", "-gnone",
            "-o", str(output / name), f"@{build / f'{name}.product/Objects.LinkFileList'}",
            "-Xlinker", "-z", "-Xlinker", "now", "-Xlinker", "--defsym", "-Xlinker", f"main={name.replace('-', '_')}_main", *libraries,
            "-Xlinker", "--start-group", *(f"-l{archive}" for archive in archives), "-Xlinker", "--end-group")
    return output
