import Bytes
import PushFormats
import Testing

private let faultyAddresses: [(String, PushFormatError.Code)] = [
  ("", PushFormatError.Code.malformed), ("   ", .malformed), ("no address", .malformed),
  ("https://push/I:a?r=x", .malformed), ("otpauth://totp/I:a", .malformed), ("://", .malformed),
  ("pushauth://", .missing), ("pushauth://push/I:a", .missing),
  ("pushauth://push/issuer:user@example.com?key=ABCDEFGHIJK&c=https://example.com/push", .missing),
  (Vectors.uri.replacing("Example%20Bank", with: "%zz"), .malformed),
  ("\(Vectors.uri)&x=%f", .malformed), ("\(Vectors.uri)&s=again", .malformed),
  ("\(Vectors.uri)&x=\(String(repeating: "a", count: 20_000))", .tooLarge),
]

@Suite("Enrolment addresses: faults and odd forms")
struct EnrolmentFaultTests {
  /// The worked address with one parameter changed; `nil` takes it out.
  private func uri(_ name: String, _ value: String?, path: String = "Example%20Bank:bjensen") -> String {
    let query = Vectors.uri.split(separator: "?")[1].split(separator: "&").compactMap { item -> String? in
      guard item.hasPrefix("\(name)=") else { return String(item) }
      return value.map { "\(name)=\($0)" }
    }
    return "pushauth://push/\(path)?" + query.joined(separator: "&")
  }

  @Test func `a parameter's value begins after its name as it stands there, not as it reads`() throws {
    let plain = try PushEnrolmentURI(parsing: Vectors.uri)
    let encoded = try PushEnrolmentURI(parsing: Vectors.uri.replacing("&s=", with: "&%73="))
    #expect(encoded.secret.base64 == plain.secret.base64)
    #expect(encoded.registrationURL == plain.registrationURL)
  }

  @Test(arguments: faultyAddresses)
  func `what cannot be read is refused, with its kind`(uri: String, code: PushFormatError.Code) {
    #expect(refusal { _ = try PushEnrolmentURI(parsing: uri) } == code)
  }

  @Test(arguments: ["a/b", "a%2Fb", "", "a%20b+c"])
  func `an action that is not percent-encoded in the usual way stays as it was written`(action: String) throws
  {
    let text = "https://id.example/am/json/push/sns/message?x=1&_action=\(action)"
    let url = try PushServerURL(text)
    #expect(url.description == text)
    #expect(try PushServerURL(url.description) == url)
    #expect(url.endpoint == "https://id.example/am/json/push/sns/message?x=1")
  }

  @Test(arguments: ["r", "a", "s"], [nil, ""])
  func `a required parameter that is absent or empty is named`(name: String, value: String?) {
    #expect {
      try PushEnrolmentURI(parsing: uri(name, value))
    } throws: { error in
      let error = error as? PushFormatError
      return error?.code == .missing && error?.reason == "\(name): missing required parameter."
    }
  }

  @Test(
    arguments: [
      ("s", "!!!"), ("s", "AAAA"), ("s", "YQ=="), ("c", "!!!"), ("c", "AAAA"), ("r", "!!!"), ("r", "YWJj"),
      ("r", "ZnRwOi8vZXhhbXBsZS5jb20"),  // ftp://example.com
      ("r", "aHR0cHM6Ly8"),  // https://
      ("r", "aHR0cHM6Ly91QGV4YW1wbGUuY29t"),  // https://u@example.com
      ("a", "amF2YXNjcmlwdDphbGVydCgxKQ"),  // javascript:alert(1)
    ])
  func `a required parameter that says something else is refused`(name: String, value: String) {
    let code = refusal { _ = try PushEnrolmentURI(parsing: uri(name, value)) }
    #expect(code == .malformed || code == .unsuitableSecret)
  }

  @Test(arguments: [
    "Bank%E2%80%AEkcatta:ada", "Bank:a%E2%81%A7da", "Bank:ada%0A", "%3Cb%3E:ada", "Bank:%3Cscript%3E",
    "..%2F..%2Fetc:ada",
    "Bank:../ada", "Bank:..%5Cada",
  ])
  func `a label that does not show what it is, is refused`(path: String) {
    #expect(refusal { _ = try PushEnrolmentURI(parsing: uri("issuer", nil, path: path)) } == .malformed)
  }

  @Test(arguments: ["Bank\u{202E}", "<b>Bank</b>", "../Bank"])
  func `an issuer that does not show what it is, is refused`(issuer: String) {
    let encoded = Base64URL.encode(issuer.utf8)
    // Base64 of what is not a name is the name itself, which stands for nothing that people know.
    let read = try? PushEnrolmentURI(parsing: uri("issuer", encoded, path: "bjensen")).issuer
    #expect(read == nil || read == encoded)
  }

  @Test func `other servers' secrets of 16 bytes and challenges of 8 were refused; ours have 32`() throws {
    func bytes(_ count: Int) -> [UInt8] { (0..<count).map { UInt8($0) } }
    for count in [0, 15, 65] {
      #expect(refusal { _ = try PushSecret(bytes(count)) } == .unsuitableSecret)
    }
    for count in [0, 7, 257] {
      #expect(
        refusal { _ = try PushChallenge([UInt8](repeating: 1, count: count)) } == .malformed)
    }
    let short = try PushEnrolmentURI(
      parsing: uri("s", Base64URL.encode(bytes(16))).replacing(
        /&c=[^&]*/, with: "&c=\(Base64URL.encode(bytes(8)))"))
    let secret = try PushSecret(bytes(16))
    #expect(short.secret == secret && short.challenge?.bytes == bytes(8))
    var generator = SystemRandomNumberGenerator()
    let (new, challenge) = (
      try PushSecret.random(using: &generator), try PushChallenge.random(using: &generator)
    )
    #expect(LenientBase64.decode(new.base64)?.count == 32 && challenge.bytes.count == 32)
  }

  @Test(arguments: ["m", "c", "l"])
  func `what is needed to register only may be absent`(name: String) throws {
    let enrolment = try PushEnrolmentURI(parsing: uri(name, nil))
    #expect(enrolment.issuer == "Example Bank")
    let values = ["m": enrolment.messageID, "c": enrolment.challenge?.base64, "l": enrolment.loadBalancer]
    #expect(values.filter { $0.value == nil }.map(\.key) == [name])
  }

  @Test(arguments: ["image", "uid", "pid", "b", "l"])
  func `an optional parameter that cannot be read is left out and named`(name: String) throws {
    let enrolment = try PushEnrolmentURI(parsing: uri(name, "%21%21"))
    #expect(enrolment.ignoredParameters == [name] && enrolment.accountName == "bjensen")
    let empty = try PushEnrolmentURI(parsing: uri(name, ""))
    #expect(empty.ignoredParameters.isEmpty)
  }

  @Test func `both Base64 alphabets are read, with and without padding`() throws {
    for (name, value) in [
      ("s", "YXVWWhHvL9OHEcUZKgduLmiaN/QKyJklHhyuSp+yvlQ="),
      ("s", "YXVWWhHvL9OHEcUZKgduLmiaN/QKyJklHhyuSp+yvlQ"),
      ("s", "YXVWWhHvL9OHEcUZKgduLmiaN_QKyJklHhyuSp-yvlQ%3D"),
    ] {
      #expect(try PushEnrolmentURI(parsing: uri(name, value)).secret.base64 == Vectors.secretText)
    }
  }

  @Test(arguments: ["PUSHAUTH://push", "mfauth://totp", "MfAuth://push"])
  func `the scheme's case is not a difference, and any host will do`(start: String) throws {
    let read = try PushEnrolmentURI(parsing: Vectors.uri.replacing("pushauth://push", with: start))
    #expect(read == (try PushEnrolmentURI(parsing: Vectors.uri)))
  }

  @Test(
    arguments: [
      ("Acme:bob", "Acme", "Acme"), ("Acme:bob", "ACME", "ACME"), ("acme:bob", "QWNtZQ", "Acme"),
      ("bob", "QWNtZQ", "Acme"), ("bob", "Acme", "Acme"), ("Acme:bob", nil, "Acme"), ("bob", nil, ""),
      ("Acme:bob", "Other", nil), (":bob", "QWNtZQ", "Acme"),
    ] as [(String, String?, String?)])
  func `V7: issuers: the parameter's spelling wins, a plain one is not decoded, different ones are refused`(
    path: String, parameter: String?, issuer: String?
  ) throws {
    let uri = uri("issuer", parameter, path: path)
    guard let issuer else {
      #expect(refusal { _ = try PushEnrolmentURI(parsing: uri) } == .issuerMismatch)
      return
    }
    let read = try PushEnrolmentURI(parsing: uri)
    #expect(read.issuer == issuer && read.accountName == "bob")
  }

  @Test(
    arguments: [
      ("forgerock:bob", "QWNtZSBCYW5r", "Acme Bank"), ("ForgeRock:bob", "QWNtZQ", "Acme"),
      ("forgerock:bob", "Acme", "Acme"), ("FORGEROCK:bob", "Zm9yZ2Vyb2Nr", "forgerock"),
      ("forgerock:bob", "ForgeRock", "ForgeRock"), ("forgerock:bob", nil, "forgerock"),
      ("forgerock:bob", "", "forgerock"),
    ] as [(String, String?, String)], ["pushauth://push", "mfauth://totp"])
  func `the constant label forgerock was refused: it goes with any issuer, and the parameter counts`(
    address: (path: String, parameter: String?, issuer: String), start: String
  ) throws {
    let uri = uri("issuer", address.parameter, path: address.path)
    let read = try PushEnrolmentURI(parsing: uri.replacing("pushauth://push", with: start))
    #expect(read.issuer == address.issuer && read.accountName == "bob")
    // Written again, the label has the issuer that counts.
    #expect(try PushEnrolmentURI(parsing: read.uri()) == read)
  }

  @Test(arguments: [
    ("forge:bob", "QWNtZQ"), ("forgerock2:bob", "QWNtZQ"), ("Acme:bob", "Zm9yZ2Vyb2Nr"),
    ("Acme:bob", "forgerock"), ("f%D0%BErgerock:bob", "QWNtZQ"), ("%20forgerock:bob", "QWNtZQ"),
  ])
  func `no other label goes with any issuer, and no issuer with any label`(path: String, parameter: String) {
    let uri = uri("issuer", parameter, path: path)
    #expect(refusal { _ = try PushEnrolmentURI(parsing: uri) } == .issuerMismatch)
  }

  @Test(arguments: ["PGI-QmFuazwvYj4", "%3Cb%3E", "Bank%E2%80%AE"])
  func `the issuer beside the constant label shows what it is, too`(parameter: String) {
    // It is the name that people see.
    let read = try? PushEnrolmentURI(parsing: uri("issuer", parameter, path: "forgerock:bob")).issuer
    #expect(read == nil)
  }

  @Test(
    arguments: [
      ("Example Bank", "a:b@x"), ("Acme", "bob"), ("", "bob"), ("I", ""), ("Zürich & Söhne", "Jörg/Ä?#=%"),
      ("日本", "ユーザー"), ("a", "::"), ("QWNtZQ", "bob"), ("e\u{301}", "%3A"),
    ])
  func `V9: issuer and account come back from the address that was written, whatever is in them`(
    issuer: String, account: String
  ) throws {
    var enrolment = try PushEnrolmentURI(parsing: Vectors.uri)
    (enrolment.issuer, enrolment.accountName) = (issuer, account)
    enrolment.policies = #"{"biometricAvailable":{},"deviceTampering":{"score":0.8}}"#
    let exported = try PushEnrolmentURI(parsing: enrolment.exportURI)
    #expect(
      exported.issuer.utf8.elementsEqual(issuer.utf8) && exported.accountName.utf8.elementsEqual(account.utf8)
    )
    #expect(exported.userID == "bjensen" && exported.resourceID == enrolment.resourceID)
    #expect(exported.imageURL == enrolment.imageURL && exported.backgroundColor == "#032b75")
    #expect(exported.policies == enrolment.policies && exported.secret == enrolment.secret)
    #expect(exported.challenge == nil && exported.messageID == nil && exported.loadBalancer == nil)
    #expect(exported.registrationURL == enrolment.registrationURL)
    if !issuer.isEmpty { #expect(try PushEnrolmentURI(parsing: enrolment.uri()) == enrolment) }
  }

  @Test(arguments: ["REGISTER:4b0d:1", "a&s=b", "a#b?c=d", "a b%3A%26", "é\u{301}", "\u{0}"])
  func `a message id comes back from the address that was written, whatever is in it`(id: String) throws {
    var enrolment = try PushEnrolmentURI(parsing: Vectors.uri)
    enrolment.messageID = id
    #expect(try PushEnrolmentURI(parsing: enrolment.uri()) == enrolment)
    #expect(enrolment.uri().contains("&m=REGISTER:4b0d:1&") == (id == "REGISTER:4b0d:1"))
  }

  @Test func `V8: a logo whose Base64 needs the URL-safe alphabet, and a plain one`() throws {
    for value in [
      "aHR0cHM6Ly9pZC5leGFtcGxlLmNvbS9pbWc_aWQ9Nw", "https%3A%2F%2Fid.example.com%2Fimg%3Fid%3D7",
    ] {
      #expect(
        try PushEnrolmentURI(parsing: uri("image", value)).imageURL == "https://id.example.com/img?id=7")
    }
  }

  @Test func `V1: policies are JSON in Base64`() throws {
    let value = "eyJiaW9tZXRyaWNBdmFpbGFibGUiOnt9LCJkZXZpY2VUYW1wZXJpbmciOnsic2NvcmUiOjAuOH19"
    let read = try PushEnrolmentURI(parsing: Vectors.uri + "&policies=" + value)
    #expect(read.policies == #"{"biometricAvailable":{},"deviceTampering":{"score":0.8}}"#)
  }

  @Test func `the user's name is read from uid, else from d`() throws {
    let old = uri("uid", nil) + "&d=b2xk"
    #expect(try PushEnrolmentURI(parsing: old).userID == "old")
    #expect(try PushEnrolmentURI(parsing: Vectors.uri + "&d=b2xk").userID == "bjensen")
  }
}
