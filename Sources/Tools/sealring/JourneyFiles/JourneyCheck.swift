import ArgumentParser
import JourneyEngine
import JourneyServer
import StrictJSON

extension JourneyCommand {
  struct Check: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Check exported journey files: say everything that is wrong with them, and what to do.",
      discussion: """
        Files that are checked together may run each other's journeys inside, and those that are bundled. An error means that the server \
        would not offer the file's journeys; a warning, that they are likely not what was meant. A node of a type that this version does not \
        know is a warning: the journey runs until it gets there, and then fails.
        """)

    @Argument(
      help:
        "Exported files (*.journey.json; *.nodeTypes.json for types of the node designer; *.authz.json for policies), or folders of them.",
      completion: .file(extensions: ["json"]))
    var files: [String]

    @Flag(help: "Take warnings for errors.")
    var strict = false

    @OptionGroup(title: "Key attestation, as given to the server") var attestation: AttestationTrustOptions

    @OptionGroup(title: "WebAuthn, as given to the server") var webAuthn: WebAuthnTrustOptions

    @OptionGroup var output: ResultOptions

    func run() async throws {
      let policies = try PolicyFindings(files)
      let journeyFiles = files.filter { !PolicyFindings.isPolicies($0) }
      let given = journeyFiles.isEmpty && !files.isEmpty ? [] : try JourneyFiles.files(journeyFiles)
      let (catalog, loaded) = try JourneyFileCheck.examine(
        given, realm: "alpha", attestation: try attestation.configuration(),
        webAuthn: try await webAuthn.trust(revokedCertificates: attestation.revokedCertificates))
      let findings = JourneyFinding.all(in: loaded, warnings: catalog.warnings)
      let errors = findings.count { $0.isError || strict } + policies.errors(isStrict: strict)
      if output.json {
        var record = record(loaded, findings, loads: errors == 0)
        record["policies"] = policies.json
        Output.json(.object(record))
      } else {
        for line in policies.remarks(isStrict: strict) { Output.remark(printable(line)) }
        for finding in findings { Output.remark(finding.text(isStrict: strict)) }
        for file in loaded
        where !findings.contains(where: { ($0.isError || strict) && $0.file == file.source }) {
          let names = file.journeys.isEmpty ? file.nodeTypes : file.journeys
          Output.line("\(printable(file.source)): \(names.map(printable).joined(separator: ", ")) will load.")
        }
        for line in policies.lines { Output.line(printable(line)) }
      }
      guard errors > 0 else { return }
      throw CommandFailure(
        errors == 1 ? "There is 1 error." : "There are \(errors) errors.", code: .invalid)
    }

    private func record(
      _ loaded: [JourneyCatalog.LoadedFile], _ findings: [JourneyFinding], loads: Bool
    ) -> JSONObject {
      var record: JSONObject = [
        "loads": .bool(loads), "journeys": .array(loaded.flatMap(\.journeys).map { .string($0) }),
        "warnings": .array(findings.filter { !$0.isError }.map { .string($0.description) }),
        "findings": .array(findings.map(\.json)),
      ]
      if loaded.count == 1 { record["file"] = .string(loaded[0].source) }
      // The first error by itself, too, as before there was a list.
      if let error = findings.first(where: \.isError)?.json.objectValue {
        for name in ["problem", "journey", "node", "type", "property"] { record[name] = error[name] }
      }
      return record
    }
  }
}

/// One thing that is wrong with a journey file.
struct JourneyFinding: CustomStringConvertible {
  let file: String
  let isError: Bool
  let kind: String
  let journey: String?
  let nodeName: String?
  let nodeID: String?
  let nodeType: String?
  let property: String?
  let problem: String
  let remedy: String
  let description: String

  init(_ fault: JourneyFileError, in file: String) {
    self.file = file
    isError = true
    kind = "error"
    (journey, nodeName, nodeID) = (fault.journey, fault.nodeName, fault.nodeID)
    (nodeType, property) = (fault.nodeType, fault.property)
    (problem, remedy, description) = (fault.problem, "", fault.description)
  }

  init(_ warning: JourneyWarning, in file: String) {
    self.file = file
    isError = false
    kind = warning.kind.description
    (journey, nodeName, nodeID) = (warning.journey, warning.nodeName, warning.nodeID)
    (nodeType, property) = (warning.nodeType, warning.property)
    (problem, remedy, description) = (warning.problem, warning.remedy, warning.description)
  }

  /// By file; errors first. Warnings of journeys that no file here has are left out.
  static func all(in loaded: [JourneyCatalog.LoadedFile], warnings: [JourneyWarning]) -> [JourneyFinding] {
    loaded.flatMap { file in
      file.faults.map { JourneyFinding($0, in: file.source) }
        + warnings.filter { file.journeys.contains($0.journey) }
        .map { JourneyFinding($0, in: file.source) }
    }
  }

  func text(isStrict: Bool) -> String {
    var line = "\(isError || isStrict ? "error" : "warning"): "
    if isError, !problem.contains(file) { line += "\(file): " }
    line += description
    if let nodeName, !nodeName.isEmpty { line += " (\(nodeName))" }
    if !remedy.isEmpty { line += ". \(remedy)" }
    return printable(line)
  }

  var json: JSONValue {
    func text(_ value: String?) -> JSONValue { value.map { .string($0) } ?? .null }
    return [
      "severity": .string(isError ? "error" : "warning"), "kind": .string(kind), "file": .string(file),
      "journey": text(journey), "nodeName": text(nodeName), "node": text(nodeID), "type": text(nodeType),
      "property": text(property), "problem": .string(problem), "remedy": .string(remedy),
    ]
  }
}
