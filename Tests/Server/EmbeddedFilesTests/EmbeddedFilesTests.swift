import CEmbeddedFiles
import Foundation
import Testing

@Suite("Files in the program") struct EmbeddedFilesTests {
  private static let server = URL(filePath: #filePath)
    .appending(path: "../../../../Sources/Server").standardizedFileURL

  private static let folders = [
    "JourneyScripts/Prelude", "Pages/Assets", "Pages/SignIn",
    "JourneyFiles/journeys", "JourneyNodes/WebAuthn/Scripts", "PageTemplates/Templates",
  ]

  private static func files(in folder: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: server.appending(path: folder).path())
  }

  @Test(arguments: folders) func `each file of the folder is in the program, under its own name`(
    _ folder: String
  ) throws {
    let sources = try Self.files(in: "CEmbeddedFiles").filter { $0.hasSuffix(".c") }
      .map { try String(contentsOf: Self.server.appending(path: "CEmbeddedFiles/\($0)"), encoding: .utf8) }
      .joined()
    let files = try Self.files(in: folder)
    #expect(!files.isEmpty)
    for file in files {
      let name = String(file.map { $0.isLetter || $0.isNumber ? $0 : "_" })
      #expect(sources.contains("EMBEDDED(\(name))\n#embed \"../\(folder)/\(file)\"\nEND\n"), "\(file)")
    }
  }

  @Test func `each file of the example app is in the program`() throws {
    let example = Self.server.appending(path: "../../Examples/App").standardizedFileURL
    let sources = try String(contentsOf: Self.server.appending(path: "CEmbeddedFiles/app.c"), encoding: .utf8)
    let files = try FileManager.default.subpathsOfDirectory(atPath: example.path())
      .filter { !$0.hasPrefix(".build/") && $0 != "Package.resolved" }
      .filter {
        try example.appending(path: $0).resourceValues(forKeys: [.isRegularFileKey]).isRegularFile == true
      }
    #expect(files.count == 7)
    for file in files {
      #expect(sources.contains("#embed \"../../../Examples/App/\(file)\"\nEND\n"), "\(file)")
    }
  }

  @Test(
    arguments: [
      ("JourneyScripts/Prelude/run.js", EmbeddedFile.run_js),
      ("../../Examples/App/Package.swift", .app_Package_swift),
      ("Pages/sealring.css", .sealring_css),
      ("JourneyFiles/journeys/Login.journey.json", .journey("Login")),
      ("PasswordRules/common-passwords.txt", .common_passwords_txt),
    ]) func `its bytes are the file's`(_ path: String, _ file: EmbeddedFile) throws
  {
    let bytes = Data(bytes: file.start, count: file.count)
    #expect(bytes == (try Data(contentsOf: Self.server.appending(path: path))))
  }

  @Test func `each language of the pages is in the program, and English is the first`() throws {
    let texts = Data(bytes: EmbeddedFile.texts.start, count: EmbeddedFile.texts.count).split(separator: 0)
    let files = try Self.files(in: "PageTemplates/Texts").map {
      try Data(contentsOf: Self.server.appending(path: "PageTemplates/Texts/\($0)"))
    }
    #expect(Set(texts) == Set(files) && texts.count == files.count)
    let english = Self.server.appending(path: "PageTemplates/Texts/en.json")
    #expect(texts.first == (try Data(contentsOf: english)))
  }
}
