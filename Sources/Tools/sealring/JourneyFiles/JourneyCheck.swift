import ArgumentParser
import JourneyEngine
import JourneyFiles
import StrictJSON

extension JourneyCommand {
  struct Check: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Check exported journey files: say everything that is wrong with them, and what to do.",
      discussion: """
        Files that are checked together may run each other's journeys inside, and those that are bundled. An error means that the server \
        would not offer a journey; a warning, that it is likely not what was meant: a node fails when it is reached, a value is replaced, or an \
        outcome leads nowhere. A note says what this server answers for by its own means. Folders may have any layout: realms, exports of one \
        journey or several, or a file for each node as fr-config-manager writes them; journeys of different realms are checked by themselves.
        """)

    @Argument(
      help:
        "Exported files (*.journey.json; *.nodeTypes.json for types of the node designer; *.authz.json for policies), or folders of them.",
      completion: .file(extensions: ["json"]))
    var files: [String]

    @Flag(help: "Take warnings for errors; notes stay notes.")
    var strict = false

    @OptionGroup(title: "Key attestation, as given to the server") var attestation: AttestationTrustOptions

    @OptionGroup(title: "WebAuthn, as given to the server") var webAuthn: WebAuthnTrustOptions

    @OptionGroup var output: ResultOptions

    func run() async throws {
      let policies = try PolicyFindings(files)
      let journeyFiles = files.filter { !PolicyFindings.isPolicies($0) }
      let groups =
        journeyFiles.isEmpty && !files.isEmpty
        ? [(nil, [])] : try JourneyFiles.groups(journeyFiles)
      let trust = try await webAuthn.trust(revokedCertificates: attestation.revokedCertificates)
      var loaded: [JourneyCatalog.LoadedFile] = []
      var findings: [JourneyFinding] = []
      var summary = JourneyCheckSummary()
      for group in groups {
        let (catalog, files) = try JourneyFileCheck.examine(
          group.files, realm: group.realm ?? "alpha", attestation: try attestation.configuration(),
          webAuthn: trust)
        let found = JourneyFinding.all(in: files, warnings: catalog.warnings)
        summary.add(files, found)
        loaded += files
        findings += found
      }
      let errors = findings.count { $0.isError(strict) } + policies.errors(isStrict: strict)
      if output.json {
        var record = record(loaded, findings, loads: errors == 0)
        record["policies"] = policies.json
        record["summary"] = summary.json
        Output.json(.object(record))
      } else {
        for line in policies.remarks(isStrict: strict) { Output.remark(printable(line)) }
        for finding in findings { Output.remark(finding.text(isStrict: strict)) }
        let refused = strict ? Set(findings.filter { $0.isError(true) }.compactMap(\.fault.journey)) : []
        for file in loaded {
          let names = file.journeys.isEmpty ? file.nodeTypes : file.loaded.filter { !refused.contains($0) }
          guard !names.isEmpty else { continue }
          Output.line("\(printable(file.source)): \(names.map(printable).joined(separator: ", ")) will load.")
        }
        for line in policies.lines { Output.line(printable(line)) }
        if loaded.count > 1 || summary.journeys > 1 {
          for line in summary.lines { Output.line(printable(line)) }
        }
      }
      guard errors > 0 else {
        if !output.json, findings.contains(where: { $0.kind == "unknownType" }) {
          Output.remark(
            "A node of an unknown type fails when it is reached. With --strict, warnings are errors and the exit code is 1."
          )
        }
        return
      }
      throw CommandFailure.invalid(errors == 1 ? "There is 1 error." : "There are \(errors) errors.")
    }

    private func record(
      _ loaded: [JourneyCatalog.LoadedFile], _ findings: [JourneyFinding], loads: Bool
    ) -> JSONObject {
      var record: JSONObject = [
        "loads": .bool(loads), "journeys": .array(loaded.flatMap(\.journeys).map { .string($0) }),
        "warnings": .array(
          findings.filter { $0.severity == .warning }.map { .string($0.description) }),
        "notes": .array(findings.filter { $0.severity == .note }.map { .string($0.description) }),
        "findings": .array(findings.map(\.json)),
      ]
      if loaded.count == 1 { record["file"] = .string(loaded[0].source) }
      // The first error also stands alone, as it did before there was a list.
      if let error = findings.first(where: { $0.severity == .error })?.json.objectValue {
        for name in ["problem", "journey", "node", "type", "property"] { record[name] = error[name] }
      }
      return record
    }
  }
}

/// A problem of a journey file: the fault says what is wrong, and where.
struct JourneyFinding: CustomStringConvertible {
  enum Severity: String { case error, warning, note }

  let file: String
  let severity: Severity
  let kind: String
  let fault: JourneyFileError
  let remedy: String
  let description: String

  init(_ fault: JourneyFileError, in file: String) {
    (self.file, severity, kind, self.fault) = (file, .error, "error", fault)
    (remedy, description) = ("", fault.description)
  }

  init(_ warning: JourneyWarning, in file: String) {
    (self.file, severity, kind) = (file, warning.isNote ? .note : .warning, warning.kind.description)
    var fault = JourneyFileError(
      warning.problem, journey: warning.journey, nodeID: warning.nodeID, nodeType: warning.nodeType,
      property: warning.property)
    fault.nodeName = warning.nodeName
    (self.fault, remedy, description) = (fault, warning.remedy, warning.description)
  }

  /// The findings by file, errors first. Warnings about journeys that are in none of these files are left out.
  static func all(in loaded: [JourneyCatalog.LoadedFile], warnings: [JourneyWarning]) -> [JourneyFinding] {
    let byJourney = Dictionary(grouping: warnings, by: \.journey)
    return loaded.flatMap { file in
      file.faults.map { JourneyFinding($0, in: file.source) }
        + file.journeys.flatMap { byJourney[$0] ?? [] }.map { JourneyFinding($0, in: file.source) }
    }
  }

  /// Whether it counts as an error; warnings do so when `isStrict`.
  func isError(_ isStrict: Bool) -> Bool { severity == .error || isStrict && severity == .warning }

  func text(isStrict: Bool) -> String {
    var line = "\(isError(isStrict) ? "error" : severity.rawValue): "
    if severity == .error, !fault.problem.contains(file) { line += "\(file): " }
    line += description
    if let nodeName = fault.nodeName, !nodeName.isEmpty { line += " (\(nodeName))" }
    if !remedy.isEmpty { line += ". \(remedy)" }
    return printable(line)
  }

  var json: JSONValue {
    func text(_ value: String?) -> JSONValue { value.map { .string($0) } ?? .null }
    return [
      "severity": .string(severity.rawValue), "kind": .string(kind), "file": .string(file),
      "journey": text(fault.journey), "nodeName": text(fault.nodeName), "node": text(fault.nodeID),
      "type": text(fault.nodeType), "property": text(fault.property), "problem": .string(fault.problem),
      "remedy": .string(remedy),
    ]
  }
}
