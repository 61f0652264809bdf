internal import Accounts
internal import JourneyEngine
internal import JourneyStore
internal import StrictJSON

/// Properties shared by all nodes that register authenticator apps: what the app and the person are shown.
struct EnrolmentSettings: Sendable {
  let issuer: String

  /// A colour as up to eight hexadecimal digits.
  let backgroundColor: String

  /// Empty for none.
  let imageURL: String
  let generatesCodes: Bool

  /// Shown above the QR code.
  let scanMessage: LocalizedText

  /// The attribute with the account's name in the app; `nil` for the name to sign in with.
  private let nameAttribute: String?

  init(_ definition: NodeDefinition) throws(JourneyFileError) {
    /// The text, or what is shown instead of one that does not fit.
    func shown(
      _ property: String, _ standard: String, _ problem: String, _ fits: (String) -> Bool
    ) throws(JourneyFileError) -> String {
      let text = try definition.string(property, default: standard)
      guard !fits(text) else { return text }
      definition.repaired(
        property, problem, instead: standard.isEmpty ? "There is none." : "\(standard) is used.")
      return standard
    }
    issuer = try shown("issuer", "ForgeRock", "must have 1 to 128 bytes") {
      (1...128).contains($0.utf8.count)
    }
    nameAttribute = try definition.choice(
      "accountName", default: "USERNAME",
      among: [
        ("COMMON_NAME", "cn"), ("EMAIL_ADDRESS", ManagedAttribute.mail),
        ("EMPLOYEE_NUMBER", "employeeNumber"),
        ("GIVEN_NAME", "givenName"), ("LAST_NAME", "sn"), ("USERNAME", nil),
      ], instead: "USERNAME")
    let color = try shown("bgColor", "032b75", "must be a colour in hexadecimal digits, such as 032b75") {
      let digits = $0.hasPrefix("#") ? $0.dropFirst() : $0[...]
      return digits.utf8.count <= 8 && digits.allSatisfy(\.isHexDigit)
    }
    backgroundColor = color.hasPrefix("#") ? String(color.dropFirst()) : color
    imageURL = try shown("imgUrl", "", "must have at most 1024 bytes") { $0.utf8.count <= 1024 }
    generatesCodes = try definition.flag("generateRecoveryCodes", default: true, instead: false)
    scanMessage = try definition.localized(
      "scanQRCodeMessage", builtIn: "Scan the QR code with your authenticator app to register this device.")
  }

  /// The name of the account in the app.
  func name(of user: UserRecord) -> String {
    guard let nameAttribute else { return user.username }
    let value = user.attributes[nameAttribute]
    let name =
      nameAttribute == ManagedAttribute.mail
      ? user.mail.first : value?.stringValue ?? value?.arrayValue?.first?.stringValue
    return name.flatMap { $0.isEmpty ? nil : $0 } ?? user.username
  }

  /// The callbacks that show `uri` to the person.
  func callbacks(_ uri: String, _ request: RequestFacts) -> [OutgoingCallback] {
    StandardCallback.enrolment(uri, message: scanMessage.text(for: request.locales))
  }
}
