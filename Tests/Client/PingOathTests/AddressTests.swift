import Foundation
import PingCommons
import Testing

@testable import PingOath

@Suite("Enrolment addresses of one-time codes")
struct AddressTests {
  private static let secret = "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP"

  @Test(
    arguments: [
      (":a%3Ab", "", "a:b"), (":::Acme:ada", "", "::Acme:ada"), ("a%3Ab", "a", "b"), ("%3Ab", "", "b"),
      ("Acme:a%3Ab", "Acme", "a:b"), ("ada", "", "ada"),
    ])
  func `an account's name with a colon does not turn into an issuer when its address is written`(
    label: String, issuer: String, account: String
  ) async throws {
    let credential = try await OathCredential.fromUri(
      "otpauth://totp/\(label)?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ")
    #expect(credential.issuer == issuer)
    #expect(credential.accountName == account)
    let again = try await OathCredential.fromUri(credential.toUri())
    #expect(again.issuer == issuer)
    #expect(again.accountName == account)
  }

  @Test(arguments: ["otpauth://totp/Bank:%20ada%20?", "mfauth://totp/Bank:%20ada%20?issuer=QmFuaw&"])
  func `spaces around an account's name are no part of it`(address: String) async throws {
    let credential = try await OathCredential.fromUri("\(address)secret=\(Self.secret)")
    #expect(credential.accountName == "ada")
    #expect(try await OathCredential.fromUri(credential.toUri()).accountName == "ada")
  }

  @Test func `an address with everything`() async throws {
    let policies = #"{"deviceTampering":{"score":0.5}}"#
    let uri =
      "otpauth://totp/Big%20Bank:ada%40example.com?secret=\(Self.secret)&issuer=Big%20Bank&algorithm=SHA256&digits=8"
      + "&period=60&uid=\("ada".base64URLEncodedString())&oid=\("device-1".base64URLEncodedString())&b=032b75"
      + "&image=https%3A%2F%2Fbank.example%2Flogo.png%3Fa%3D1%26b%3D2&policies=\(policies.base64URLEncodedString())"
    let credential = try await OathCredential.fromUri(" \(uri)\n")
    #expect(credential.issuer == "Big Bank" && credential.accountName == "ada@example.com")
    #expect(credential.displayIssuer == "Big Bank" && credential.displayAccountName == "ada@example.com")
    #expect(credential.oathType == .totp && credential.type == "totp" && credential.algorithm == "SHA256")
    #expect(credential.digits == 8 && credential.period == 60 && credential.counter == 0)
    #expect(credential.userId == "ada" && credential.resourceId == "device-1")
    // Without `#`, as the address has it.
    #expect(credential.backgroundColor == "032b75" && credential.policies == policies)
    #expect(credential.imageURL == "https://bank.example/logo.png?a=1&b=2")
    let again = try await OathCredential.fromUri(credential.toUri())
    #expect(try Self.fields(again) == Self.fields(credential))
  }

  /// What an address holds.
  private static func fields(_ credential: OathCredential) throws -> [String] {
    let json = try JSONEncoder().encode(credential)
    let object = try #require(try JSONSerialization.jsonObject(with: json) as? [String: Any])
    return object.filter { !["id", "createdAt"].contains($0.key) }.map { "\($0.key)=\($0.value)" }.sorted()
  }

  @Test func `a short address has the standard values`() async throws {
    let credential = try await OathCredential.fromUri(
      "OTPAUTH://HOTP/ada?secret=jbsw y3dp-ehpk3pxp&counter=7")
    #expect(credential.issuer == "" && credential.accountName == "ada" && credential.oathType == .hotp)
    #expect(credential.oathAlgorithm == .sha1 && credential.digits == 6 && credential.counter == 7)
    #expect(credential.userId == nil && credential.policies == nil && credential.imageURL == nil)
    let again = try await OathCredential.fromUri(credential.toUri())
    #expect(again.counter == 7 && again.accountName == "ada" && again.issuer == "")
  }

  @Test(
    arguments: [
      ("Bank:ada", "", "Bank", "ada"), ("Bank:ada", "bank", "bank", "ada"), ("Bank%3Aada", "", "Bank", "ada"),
      ("Bank:%20ada", "Bank", "Bank", "ada"), ("Bank:a%3Ab", "", "Bank", "a:b"),
      ("a%3Ab", "Bank", "Bank", "a:b"),
      ("ada", "Bank", "Bank", "ada"), ("B%C3%A4nk:ada", "B%C3%A4nk", "Bänk", "ada"),
      // Plain text, and valid Base64 of something else.
      ("ada", "Acme", "Acme", "ada"),
    ])
  func `labels`(label: String, parameter: String, issuer: String, account: String) async throws {
    let uri =
      "otpauth://totp/\(label)?secret=\(Self.secret)" + (parameter.isEmpty ? "" : "&issuer=\(parameter)")
    let credential = try await OathCredential.fromUri(uri)
    #expect(credential.issuer == issuer && credential.accountName == account)
  }

  @Test(
    arguments: [
      ("otpauth", "forgerock:ada", "&issuer=Acme%20Bank", "Acme Bank", "ada"),
      ("otpauth", "ForgeRock:ada", "&issuer=Acme", "Acme", "ada"),
      ("otpauth", "forgerock%3Aada", "&issuer=Acme", "Acme", "ada"),
      ("otpauth", "ForgeRock:ada", "", "ForgeRock", "ada"),
      ("otpauth", "ForgeRock:ada", "&issuer=", "ForgeRock", "ada"),
      ("otpauth", "ForgeRock", "", "ForgeRock", "ForgeRock"),
      ("otpauth", "%20forgerock%20", "", "forgerock", "forgerock"),
      ("otpauth", "ForgeRock", "&issuer=Acme", "Acme", "ForgeRock"),
      ("mfauth", "forgerock:ada", "&issuer=QWNtZSBCYW5r", "Acme Bank", "ada"),
      ("mfauth", "ForgeRock", "", "ForgeRock", "ForgeRock"),
    ])
  func `the constant label forgerock was refused: it goes with any issuer, and the parameter counts`(
    scheme: String, label: String, parameter: String, issuer: String, account: String
  ) async throws {
    let credential = try await OathCredential.fromUri(
      "\(scheme)://totp/\(label)?secret=\(Self.secret)\(parameter)")
    #expect(credential.issuer == issuer && credential.accountName == account)
    #expect(credential.displayIssuer == issuer)
    let again = try await OathCredential.fromUri(credential.toUri())
    #expect(again.issuer == issuer && again.accountName == account)
  }

  @Test(arguments: [
    "otpauth://totp/forge:ada?issuer=Acme", "otpauth://totp/Acme:ada?issuer=forgerock",
    "mfauth://totp/Acme:ada?issuer=Zm9yZ2Vyb2Nr", "otpauth://totp/forgerock:ada?issuer=%3Cb%3E",
    "otpauth://totp/f%D0%BErgerock:ada?issuer=Acme",
  ])
  func `no other label goes with any issuer`(uri: String) async {
    #expect(await thrown { try await OathCredential.fromUri("\(uri)&secret=\(Self.secret)") } == "invalidUri")
  }

  @Test func `mfauth has its texts in Base64`() async throws {
    let uri =
      "mfauth://hotp/Bank:ada?l=YT1i&issuer=\("Bank".base64URLEncodedString())&m=REGISTER:1&s=c2VjcmV0&c=Y2g"
      + "&r=\("https://am.example/push?_action=register".base64URLEncodedString())&a=YQ"
      + "&uid=\("ada".base64URLEncodedString())&pid=cGlk&b=032b75&secret=\(Self.secret)&algorithm=SHA1&digits=6"
      + "&counter=0&oid=\("oath-1".base64URLEncodedString())&image=https%3A%2F%2Fbank.example%2Flogo.png"
    let credential = try await OathCredential.fromUri(uri)
    #expect(credential.issuer == "Bank" && credential.userId == "ada" && credential.resourceId == "oath-1")
    #expect(credential.oathType == .hotp && credential.imageURL == "https://bank.example/logo.png")
  }

  @Test(
    arguments: [
      ("", "invalidUri"), ("   ", "invalidUri"), ("no address", "invalidUri"),
      ("https://totp/ada?secret=S", "invalidUri"), ("pushauth://totp/ada?secret=S", "invalidUri"),
      ("otpauth:totp/ada?secret=S", "invalidUri"), ("otpauth://totp/ada", "missingRequiredParameter"),
      ("otpauth://totp/ada?secret=", "missingRequiredParameter"),
      ("otpauth://totp/ada?secret=1", "invalidSecret"),
      ("otpauth://totp/ada?secret=JBSWY3DP", "invalidSecret"),
      ("otpauth://push/ada?secret=S", "invalidUri"), ("otpauth://motp/ada?secret=S", "invalidUri"),
      ("otpauth:///ada?secret=S", "invalidUri"), ("otpauth://totp/?secret=S&issuer=Bank", "invalidUri"),
      ("otpauth://totp?secret=S&issuer=Bank", "invalidUri"), ("otpauth://totp/Bank:?secret=S", "invalidUri"),
      ("mfauth://totp/Bank:%20?secret=S", "invalidUri"),
      ("otpauth://totp/Bank:\(String(repeating: "a", count: 257))?secret=S", "invalidUri"),
      ("otpauth://totp/ada?secret=S&issuer=\(String(repeating: "a", count: 257))", "invalidUri"),
      ("otpauth://totp/ada?secret=S&algorithm=MD5", "invalidAlgorithm"),
      ("otpauth://totp/ada?secret=S&digits=3", "invalidParameterValue"),
      ("otpauth://totp/ada?secret=S&digits=9", "invalidParameterValue"),
      ("otpauth://totp/ada?secret=S&digits=-6", "invalidParameterValue"),
      ("otpauth://totp/ada?secret=S&period=0", "invalidParameterValue"),
      ("otpauth://totp/ada?secret=S&period=3601", "invalidParameterValue"),
      ("otpauth://hotp/ada?secret=S&counter=-1", "invalidParameterValue"),
      ("otpauth://hotp/ada?secret=S&counter=99999999999999999999", "invalidParameterValue"),
      ("otpauth://totp/Bank:ada?secret=S&issuer=Other", "invalidUri"),
      ("otpauth://totp/ada?secret=S&secret=S", "invalidUri"), ("otpauth://totp/ad%2?secret=S", "invalidUri"),
      ("otpauth://totp/ad%FF?secret=S", "invalidUri"), ("otpauth://totp/ada?secret=S&x=%zz", "invalidUri"),
    ])
  func `an address that cannot be used says what for`(uri: String, expected: String) async {
    let uri = uri.replacing("secret=S", with: "secret=\(Self.secret)")
    #expect(await thrown { try await OathCredential.fromUri(uri) } == expected)
    let client = try? await makeClient()
    #expect(await thrown { try await client?.addCredentialFromUri(uri) } == expected)
  }

  @Test(
    arguments: [
      "Bank%E2%80%AEkcatta:ada", "Bank:a%E2%81%A6da", "Bank:ada%0A", "Bank%07:ada", "%3Cscript%3E:ada",
      "Bank:a%3Eda",
      "..%2F..%2Fetc:ada", "../etc:ada", "Bank:..%5Cada", "Bank:a%E2%80%8Bda",
    ])
  func `a label that does not show what it is, is refused`(label: String) async {
    for scheme in ["otpauth", "mfauth"] {
      #expect(
        await thrown { try await OathCredential.fromUri("\(scheme)://totp/\(label)?secret=\(Self.secret)") }
          == "invalidUri")
    }
    let issuer = label.prefix { $0 != ":" }
    #expect(
      await thrown {
        try await OathCredential.fromUri("otpauth://totp/ada?secret=\(Self.secret)&issuer=\(label)")
      } == "invalidUri", "\(issuer)")
  }

  @Test(arguments: [
    "%E2%9D%A4%EF%B8%8F%20Bank", "%D9%85%DB%8C%E2%80%8C%D8%AE", "O'Brien%20%26%20Co.", "%E5%92%8C",
  ])
  func `names of all scripts are taken`(name: String) async throws {
    let credential = try await OathCredential.fromUri("otpauth://totp/\(name):\(name)?secret=\(Self.secret)")
    #expect(credential.issuer == name.removingPercentEncoding && credential.accountName == credential.issuer)
  }

  @Test(arguments: 4...8) func `codes have four to eight digits`(digits: Int) async throws {
    let client = try await makeClient()
    let added = try await client.addCredentialFromUri(
      "otpauth://totp/Bank:ada?secret=\(Self.secret)&digits=\(digits)")
    #expect(added.digits == digits)
    #expect(try await client.generateCode(added.id).count == digits)
    #expect(try await OathCredential.fromUri(added.toUri()).digits == digits)
  }

  // A server, or a picture that somebody put up, may say anything.
  @Test func `what is read is bounded, and no error shows a secret`() async throws {
    let long = String(repeating: "A", count: 20_000)
    for uri in [
      "otpauth://totp/\(long)?secret=\(Self.secret)", "otpauth://totp/ada?secret=\(long)",
      "otpauth://totp/ada?secret=" + String(repeating: "A", count: 9000),
      "otpauth://totp/ada?secret=" + String(repeating: "A", count: 1000),
    ] {
      #expect(
        ["invalidUri", "invalidSecret"].contains(await thrown { try await OathCredential.fromUri(uri) }))
    }
    do {
      _ = try await OathCredential.fromUri("otpauth://totp/ada?secret=\(Self.secret)!&digits=6")
      Issue.record("no error")
    } catch { #expect(!"\(error) \(error.localizedDescription)".contains("JBSWY3DP")) }
    // Optional values that cannot be read are left out.
    let odd = try await OathCredential.fromUri(
      "otpauth://totp/ada?secret=\(Self.secret)&uid=!&oid=%FE&b=javascript&image=nothing&policies=!"
        .replacing("%FE", with: "~"))
    #expect(odd.userId == nil && odd.resourceId == nil && odd.backgroundColor == nil && odd.imageURL == nil)
    #expect(odd.policies == nil)
  }

  @Test func `names`() throws {
    #expect(try OathType.fromString("TOTP") == .totp && OathType.fromString("hotp") == .hotp)
    #expect(
      try OathAlgorithm.fromString("HmacSHA256") == .sha256 && OathAlgorithm.fromString("sha-512") == .sha512)
    #expect(throws: OathError.self) { try OathType.fromString("push") }
    #expect(throws: OathError.self) { try OathAlgorithm.fromString("md5") }
  }
}
