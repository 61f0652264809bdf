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
  private let accountName: AccountNameSource

  private enum AccountNameSource: String, CaseIterable, Sendable {
    case commonName = "COMMON_NAME"
    case mail = "EMAIL_ADDRESS"
    case employeeNumber = "EMPLOYEE_NUMBER"
    case givenName = "GIVEN_NAME"
    case lastName = "LAST_NAME"
    case username = "USERNAME"
  }

  init(_ definition: NodeDefinition) throws(JourneyFileError) {
    issuer = try definition.string("issuer", default: "ForgeRock")
    guard !issuer.isEmpty, issuer.utf8.count <= 128 else {
      throw definition.wrong("issuer", "must have 1 to 128 bytes")
    }
    accountName = try definition.choice("accountName", default: "USERNAME")
    let color = try definition.string("bgColor", default: "032b75")
    backgroundColor = color.hasPrefix("#") ? String(color.dropFirst()) : color
    guard backgroundColor.utf8.count <= 8, backgroundColor.allSatisfy(\.isHexDigit) else {
      throw definition.wrong("bgColor", "must be a colour in hexadecimal digits, such as 032b75")
    }
    imageURL = try definition.string("imgUrl")
    guard imageURL.utf8.count <= 1024 else {
      throw definition.wrong("imgUrl", "must have at most 1024 bytes")
    }
    generatesCodes = try definition.flag("generateRecoveryCodes", default: true)
    scanMessage = try definition.localized(
      "scanQRCodeMessage", builtIn: "Scan the QR code with your authenticator app to register this device.")
  }

  /// The name of the account in the app.
  func name(of user: UserRecord) -> String {
    func attribute(_ name: String) -> String? {
      let value = user.attributes[name]
      return value?.stringValue ?? value?.arrayValue?.first?.stringValue
    }
    let name: String? =
      switch accountName {
      case .username: nil
      case .mail: user.mail.first
      case .commonName: attribute("cn")
      case .employeeNumber: attribute("employeeNumber")
      case .givenName: attribute("givenName")
      case .lastName: attribute("sn")
      }
    return name.flatMap { $0.isEmpty ? nil : $0 } ?? user.username
  }

  /// What shows `uri` to the person.
  func callbacks(_ uri: String, _ request: RequestFacts) -> [OutgoingCallback] {
    StandardCallback.enrolment(uri, message: scanMessage.text(for: request.locales))
  }
}
