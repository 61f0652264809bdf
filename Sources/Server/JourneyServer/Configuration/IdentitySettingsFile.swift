public import Accounts
public import Foundation
internal import JourneyEngine
public import JourneyNodes
public import Operations
internal import StrictJSON

/// What a realm's people have and are asked: the schema of identities, terms, consents, security questions. In one file, for all realms.
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
    func wrong(_ problem: String) -> ServerSetupError {
      ServerSetupError("The identity schema \(file.path) cannot be used: \(problem).")
    }
    let bytes: [UInt8]
    do {
      let handle = try FileHandle(forReadingFrom: file)
      defer { try? handle.close() }
      bytes = Array(try handle.read(upToCount: Self.maximumBytes + 1) ?? Data())
    } catch { throw wrong("it cannot be read (\(error.localizedDescription))") }
    guard bytes.count <= Self.maximumBytes else {
      throw wrong("it is longer than \(Self.maximumBytes) bytes")
    }
    let object: JSONObject
    do {
      guard let parsed = try JSONValue(parsing: bytes).objectValue else {
        throw wrong("it is not a JSON object")
      }
      object = parsed
    } catch let error as ServerSetupError { throw error } catch { throw wrong("it is not JSON: \(error)") }
    self.init()
    if object["schema"] != nil || object["properties"] != nil {
      do throws(ManagedSchemaError) { schema = try ManagedSchema(parsing: bytes) } catch {
        throw wrong(error.description)
      }
    }
    if let terms = object["termsAndConditions"] {
      guard let version = terms["version"]?.stringValue, let text = Self.text(terms["terms"]) else {
        throw wrong("termsAndConditions needs a version and terms, a text or texts by language")
      }
      self.terms = TermsAndConditions(
        version: version, text: text, createDate: terms["createDate"]?.stringValue ?? self.terms.createDate)
    }
    if let questions = object["securityQuestions"] {
      var texts: [SecurityQuestions.Question] = []
      for (id, value) in questions["questions"]?.objectValue ?? [:] {
        guard let text = Self.text(value) else { throw wrong("the security question \(id) has no text") }
        texts.append(SecurityQuestions.Question(id, text))
      }
      // The platform's default, as far as there are questions.
      let usual = texts.isEmpty ? securityQuestions.answersNeeded : min(2, texts.count)
      let answers = questions["answers"]?.integerValue ?? Int64(usual)
      guard (1...5).contains(answers) else { throw wrong("securityQuestions needs from 1 to 5 answers") }
      securityQuestions = SecurityQuestions(
        texts.isEmpty ? securityQuestions.texts : texts, answersNeeded: Int(answers))
    }
    if let mappings = object["consentMappings"], !mappings.isNull {
      do throws(ConsentMappingError) { consentMappings = try ConsentMapping.parse(mappings) } catch {
        throw wrong(error.description)
      }
    }
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
