"""Tests of manifest.py: it has to find each thing that is broken in a small package, and nothing in the package as it was.

    python3 -m unittest discover -s Tests/Manifest
"""

import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))

from manifest import Manifest, imported

LINUX = {"platformNames": ["linux"]}


def target(path, *names, products=(), linux=(), kind="regular"):
    by_name = [{"byName": [name, LINUX if name in linux else None]} for name in names]
    others = [{"product": [name, "a-package", None, LINUX if name in linux else None]} for name in products]
    return {"name": pathlib.Path(path).name, "type": kind, "path": path, "dependencies": by_name + others}


class Package(unittest.TestCase):
    """A package of two clients, a server and their tests, in which everything is right."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.files = {
            "Sources/Core/Bytes/Bytes.swift": "import Foundation\n",
            "Sources/Formats/JOSE/JWS.swift": "public import Bytes\ninternal import Crypto\n",
            "Sources/Device/Bus/Bus.swift": "#if os(Linux)\n  internal import CBus\n#endif\n",
            "Sources/Client/Phone/Phone.swift": "@_exported public import struct JOSE.JWS\ninternal import Bytes\n",
            "Sources/Client/Desktop/Desktop.swift": 'import Bus\nlet text = """\n  import Server\n  """\n// import Tool\n',
            "Sources/Server/Server/Server.swift": "package import JOSE\n",
            "Sources/Tools/Tool/Tool.swift": "import Server\nimport Phone\n",
            "Tests/Client/PhoneTests/PhoneTests.swift": "@testable import Phone\nimport Testing\n",
            "Tests/Tools/ToolTests/ToolTests.swift": "@testable import Tool\nimport Bytes\n",
        }
        self.targets = [
            target("Sources/System/CBus", kind="system"),
            target("Sources/Core/Bytes"),
            target("Sources/Formats/JOSE", "Bytes", products=["Crypto"]),
            target("Sources/Device/Bus", "CBus", linux=["CBus"]),
            target("Sources/Client/Phone", "JOSE", "Bytes"),
            target("Sources/Client/Desktop", "Bus"),
            target("Sources/Server/Server", "JOSE"),
            target("Sources/Tools/Tool", "Server", "Phone", kind="executable"),
            target("Tests/Client/PhoneTests", "Phone", "Bytes", kind="test"),
            target("Tests/Tools/ToolTests", "Tool", "Bytes", kind="test"),
        ]

    def manifest(self):
        for path, text in self.files.items():
            file = pathlib.Path(self.folder.name) / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
        products = [
            {"name": "tool", "targets": ["Tool"], "type": {"executable": None}},
            *[{"name": name, "targets": [name], "type": {"library": ["automatic"]}} for name in ("JOSE", "Desktop", "Phone")],
        ]
        return Manifest({"targets": self.targets, "products": products}, self.folder.name)

    def faults(self):
        return list(self.manifest().faults())

    def replace(self, path, *names, **options):
        self.targets = [t for t in self.targets if t["path"] != path] + [target(path, *names, **options)]


class Check(Package):
    def test_the_package_as_it_is_has_no_fault(self):
        self.assertEqual(self.faults(), [])

    def test_an_import_that_is_not_declared(self):
        self.files["Sources/Client/Phone/More.swift"] = "internal import Crypto\n"
        self.assertEqual(
            self.faults(), ["Phone imports Crypto in Sources/Client/Phone/More.swift: declare it in Package.swift."])

    def test_a_file_that_is_too_long(self):
        self.files["Sources/Client/Phone/Long.swift"] = "//\n" * 400
        self.assertEqual(self.faults(), [])
        self.files["Sources/Client/Phone/Long.swift"] += "//\n"
        self.assertEqual(
            self.faults(), ["Sources/Client/Phone/Long.swift has 401 lines, more than 400: one idea a file."])

    def test_a_system_library_that_is_not_declared(self):
        self.replace("Sources/Device/Bus")
        self.assertRegex(" ".join(self.faults()), "^Bus imports CBus in ")

    def test_a_dependency_that_nothing_imports(self):
        self.replace("Sources/Server/Server", "JOSE", "Bytes", products=["Crypto"])
        self.assertEqual([fault.split(",")[0] for fault in self.faults()], ["Server declares Bytes", "Server declares Crypto"])

    def test_what_all_tests_have_need_not_be_imported_and_all_else_must(self):
        self.replace("Tests/Client/PhoneTests", "Phone", "Bytes", "JOSE", kind="test")
        self.assertEqual([fault.split(",")[0] for fault in self.faults()], ["PhoneTests declares JOSE"])

    def test_a_lower_layer_does_not_need_a_higher_one(self):
        self.files["Sources/Formats/JOSE/JWS.swift"] += "import Bus\n"
        self.replace("Sources/Formats/JOSE", "Bytes", "Bus", products=["Crypto"])
        self.assertRegex(" ".join(self.faults()), r"^JOSE \(Formats\) needs Bus \(Device\):")

    def test_client_and_server_do_not_know_each_other(self):
        self.files["Sources/Client/Phone/Phone.swift"] += "import Server\n"
        self.replace("Sources/Client/Phone", "JOSE", "Bytes", "Server")
        self.assertRegex(" ".join(self.faults()), r"^Phone \(Client\) needs Server \(Server\):")
        self.files["Sources/Client/Phone/Phone.swift"] = "import JOSE\nimport Bytes\n"
        self.replace("Sources/Client/Phone", "JOSE", "Bytes")
        self.files["Sources/Server/Server/Server.swift"] += "import Phone\n"
        self.replace("Sources/Server/Server", "JOSE", "Phone")
        self.assertRegex(" ".join(self.faults()), r"^Server \(Server\) needs Phone \(Client\):")

    def test_sources_need_no_fixtures_of_tests(self):
        self.targets.append(target("Tests/Support/Clocks"))
        self.files["Sources/Tools/Tool/Tool.swift"] += "import Clocks\n"
        self.replace("Sources/Tools/Tool", "Server", "Phone", "Clocks", kind="executable")
        self.assertRegex(" ".join(self.faults()), r"^Tool \(Tools\) needs Clocks \(Tests\):")

    def test_an_example_has_the_libraries_and_nothing_else(self):
        self.files["Examples/App/Sources/app/App.swift"] = "import Phone\n"
        self.targets.append(target("Examples/App/Sources/app", "Phone", kind="executable"))
        self.assertEqual(self.faults(), [])
        self.files["Examples/App/Sources/app/App.swift"] += "import Bytes\n"
        self.replace("Examples/App/Sources/app", "Phone", "Bytes", kind="executable")
        self.assertEqual(
            self.faults(),
            ["app (Examples) needs Bytes, which is not a library of this package: an app cannot have it."])

    def test_a_folder_that_is_not_a_layer(self):
        self.targets.append(target("Sources/Attic/Chest"))
        with self.assertRaisesRegex(SystemExit, "Sources/Attic is not a layer"):
            self.targets.append(target("Sources/Core/Drawer", "Chest"))
            self.faults()


class Order(Package):
    def order(self, *what):
        manifest = self.manifest()
        return [t.path for t in manifest.order([name for one in what for name in manifest.named(one)])]

    def test_what_is_needed_comes_first_and_once(self):
        self.assertEqual(
            self.order("Tool", "Phone"),
            [f"Sources/{path}" for path in ("Core/Bytes", "Formats/JOSE", "Server/Server", "Client/Phone", "Tools/Tool")])

    def test_a_target_in_c_is_not_compiled_as_swift_and_its_headers_are_found(self):
        self.targets[1:1] = [target("Sources/Core/CList")]
        self.targets[2]["dependencies"] += target("Sources/Core/CList", "CList")["dependencies"]
        self.files["Sources/Core/CList/include/CList.h"] = "int list(void);\n"
        manifest = self.manifest()
        self.assertNotIn("CList", [each.name for each in manifest.order(["Bytes"])])
        self.assertEqual(manifest.headers("CList"), manifest.root / "Sources/Core/CList/include")
        self.assertIsNone(manifest.headers("Bytes"))

    def test_a_file_stands_for_what_it_imports(self):
        self.files["fuzz.swift"] = "import Foundation\nimport JOSE\n"
        self.assertEqual(self.order("fuzz.swift"), ["Sources/Core/Bytes", "Sources/Formats/JOSE"])

    def test_apple_has_the_clients_that_are_made_of_nothing_of_linux(self):
        self.assertEqual(self.order("apple"), [f"Sources/{path}" for path in ("Core/Bytes", "Formats/JOSE", "Client/Phone")])

    def test_an_unknown_target_is_refused(self):
        with self.assertRaisesRegex(SystemExit, "no target 'Nobody'"):
            self.order("Nobody")


class Imports(unittest.TestCase):
    def test_every_form_of_an_import(self):
        text = "import A\n  public import B\n@testable import C\n@_spi(Raw) internal import D\nimport class E.F\nimportant()\n// import G\n"
        self.assertEqual(imported(text), ["A", "B", "C", "D", "E"])


if __name__ == "__main__":
    unittest.main()
