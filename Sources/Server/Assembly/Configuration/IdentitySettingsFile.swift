public import Accounts
public import Foundation
internal import JourneyEngine
public import JourneyNodes
public import Operations
internal import PrivateFiles
internal import StrictJSON

/// The identity settings of all realms, in one file: the schema of identities, terms, consents and security questions.
public struct IdentitySettings: Sendable {
  public var schema = ManagedSchema.standard
  public var terms = TermsAndConditions()
  public var securityQuestions = SecurityQuestions.standard
  public var consentMappings: [ConsentMapping] = []

  public init() {}

  /// Longest file in bytes.
  private static let maximumBytes = 1 << 20

  /// Reads `{"schema": {…}, "termsAndConditions": {"version", "createDate", "terms"}, "securityQuestions": {"answers", "questions"},
  /// "consentMappings": […]}`; each may be missing.
  ///
  /// - Throws: ``ServerSetupError``, which says what is wrong in the file.
  public init(file: URL) throws(ServerSetupError) {
    do { try self.init(parsing: file.bytes(atMost: Self.maximumBytes)) } catch {
      let reason = (error as? JSONFault).map { "\($0)." } ?? FileReason.of(error)
      throw ServerSetupError("The identity schema \(file.path) cannot be used: \(reason)")
    }
  }

  private init(parsing bytes: [UInt8]) throws {
    let document = try JSONReader(parsing: bytes, rules: JSONReader.Rules(skipsBlanks: true))
    if document["schema"] != nil || document["properties"] != nil {
      schema = try ManagedSchema(parsing: bytes)
    }
    if let terms = document["termsAndConditions"] {
      guard let text = Self.text(terms.value["terms"]) else {
        throw terms.wrong("terms", "must be a text, or texts by language")
      }
      (self.terms.version, self.terms.text) = (try terms.member("version").text(), text)
      self.terms.createDate = try terms["createDate"]?.text() ?? self.terms.createDate
    }
    if let questions = document["securityQuestions"] {
      var texts: [SecurityQuestions.Question] = []
      for (id, value) in try questions["questions"]?.members() ?? [] {
        guard let text = Self.text(value.value) else {
          throw value.wrong("the security question has no text")
        }
        texts.append(SecurityQuestions.Question(id, text))
      }
      // The platform's default, or fewer if there are fewer questions.
      let usual = texts.isEmpty ? securityQuestions.answersNeeded : min(2, texts.count)
      securityQuestions = SecurityQuestions(
        texts.isEmpty ? securityQuestions.texts : texts,
        answersNeeded: try questions["answers"]?.number(in: 1...5) ?? usual)
    }
    if let mappings = document["consentMappings"] { consentMappings = try ConsentMapping.parse(mappings) }
  }

  private static func text(_ value: JSONValue?) -> LocalizedText? {
    if let text = value?.stringValue { return LocalizedText([("en", text)], builtIn: text) }
    let texts = value?.objectValue?.compactMap { locale, text in
      text.stringValue.map { (locale: locale, text: $0) }
    }
    guard let texts, let first = texts.first else { return nil }
    return LocalizedText(texts, builtIn: first.text)
  }
}
