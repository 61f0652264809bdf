internal import Bytes

/// The content of an enrolment QR code: `pushauth://push/ISSUER:ACCOUNT?…`, or `mfauth://…`, which enrols a one-time code too.
///
/// It carries the shared secret: anyone who sees the code in time can enrol in the person's place.
public struct PushEnrolmentURI: Sendable, Hashable {
  public var issuer: String
  public var accountName: String
  /// `r`, with its `_action`.
  public var registrationURL: PushServerURL
  /// `a`, with its `_action`.
  public var authenticationURL: PushServerURL
  /// `s`
  public var secret: PushSecret
  /// `c`; needed to register.
  public var challenge: PushChallenge?
  /// `l`: the load balancer's cookie, `name=value`.
  public var loadBalancer: String?
  /// `m`; needed to register.
  public var messageID: String?
  /// `uid`, or `d`.
  public var userID: String?
  /// `pid`: the server's id of the device.
  public var resourceID: String?
  /// `image`
  public var imageURL: String?
  /// `b`: a colour with a leading `#`.
  public var backgroundColor: String?
  /// `policies`: JSON text.
  public var policies: String?

  /// Optional parameters that could not be read and were left out.
  public internal(set) var ignoredParameters: [String] = []

  public init(
    issuer: String, accountName: String, registrationURL: PushServerURL, authenticationURL: PushServerURL,
    secret: PushSecret, challenge: PushChallenge? = nil, loadBalancer: String? = nil,
    messageID: String? = nil, userID: String? = nil, resourceID: String? = nil, imageURL: String? = nil,
    backgroundColor: String? = nil, policies: String? = nil
  ) {
    self.issuer = issuer
    self.accountName = accountName
    self.registrationURL = registrationURL
    self.authenticationURL = authenticationURL
    self.secret = secret
    self.challenge = challenge
    self.loadBalancer = loadBalancer
    self.messageID = messageID
    self.userID = userID
    self.resourceID = resourceID
    self.imageURL = imageURL
    self.backgroundColor = backgroundColor
    self.policies = policies
  }
}

extension PushEnrolmentURI {
  /// The text that a server puts into the QR code, its parameters in the usual order.
  ///
  /// - Parameter oath: Parameters of a one-time code, already encoded, for a combined enrolment (`mfauth`), and its host
  ///   (`totp` or `hotp`).
  public func uri(
    combinedWith oath: (host: String, parameters: [(name: String, value: String)])? = nil
  ) -> String {
    var parameters: [(String, String)] = []
    func encoded(_ text: String) -> String { Base64URL.encode(text.utf8) }
    if let loadBalancer { parameters.append(("l", encoded(loadBalancer))) }
    parameters.append(("issuer", encoded(issuer)))
    if let messageID { parameters.append(("m", Self.withColons(messageID))) }
    parameters.append(("s", secret.base64URL))
    if let challenge { parameters.append(("c", challenge.base64URL)) }
    parameters.append(("r", encoded(registrationURL.description)))
    parameters.append(("a", encoded(authenticationURL.description)))
    if let userID { parameters.append(("uid", encoded(userID))) }
    if let resourceID { parameters.append(("pid", encoded(resourceID))) }
    if let color = backgroundColor.map(Self.withoutHash) { parameters.append(("b", color)) }
    if let imageURL {
      parameters.append(("image", oath == nil ? encoded(imageURL) : PercentEncoding.encode(imageURL)))
    }
    if let policies { parameters.append(("policies", encoded(policies))) }
    parameters += oath?.parameters.map { ($0.name, $0.value) } ?? []
    return
      "\(oath == nil ? "pushauth" : "mfauth")://\(oath?.host ?? "push")/\(label)?\(Self.query(parameters))"
  }

  /// The text that an app exports: without challenge, message id and cookie, so it cannot be registered again.
  public var exportURI: String {
    var parameters: [(String, String)] = [
      ("r", Base64URL.encode(registrationURL.description.utf8)),
      ("a", Base64URL.encode(authenticationURL.description.utf8)), ("s", secret.base64URL),
    ]
    func add(_ name: String, _ text: String?) {
      guard let text, !text.isEmpty else { return }
      parameters.append((name, Base64URL.encode(text.utf8)))
    }
    if !issuer.isEmpty { parameters.append(("issuer", PercentEncoding.encode(issuer))) }
    add("d", userID)
    add("pid", resourceID)
    add("image", imageURL)
    if let color = backgroundColor.map(Self.withoutHash), !color.isEmpty {
      parameters.append(("b", color))
    }
    add("policies", policies)
    return "pushauth://push/\(label)?\(Self.query(parameters))"
  }

  private var label: String {
    issuer.isEmpty
      ? PercentEncoding.encode(accountName)
      : "\(PercentEncoding.encode(issuer)):\(PercentEncoding.encode(accountName))"
  }

  private static func query(_ parameters: [(String, String)]) -> String {
    parameters.map { "\($0)=\($1)" }.joined(separator: "&")
  }

  /// Message ids have colons, which servers write as they are.
  private static func withColons(_ text: String) -> String {
    PercentEncoding.encode(text).replacing("%3A", with: ":")
  }

  private static func withoutHash(_ color: String) -> String { String(color.drop { $0 == "#" }) }
}
