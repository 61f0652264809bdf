import Bytes
import CommonFixtures
import Foundation
import OATH
import StrictJSON
import Testing

@testable import JourneyStore

/// What earlier versions have sealed, or stored as JSON, as they wrote it.
@Suite("Stored forms of earlier versions") struct SealedFormTests {
  private static let oath = """
    {"uuid":"oath-1","name":"A name / ä","secret":"MTIzNDU2Nzg5MDEyMzQ1Njc4OTA=","hash":"SHA256","digits":8,"checksum":true,\
    "created":1800000000.25,"period":60,"offset":3}
    """

  private static func authenticator(_ factor: OATHProfile.MovingFactor) -> OathDeviceRecord {
    let date = Date(timeIntervalSince1970: 1_800_000_000.25)
    return OathDeviceRecord(
      uuid: "oath-1", realm: "alpha", username: "demo", deviceName: "A name / ä",
      secret: StoredSecret("12345678901234567890".utf8),
      profile: OATHProfile(
        factor: factor, hash: .sha256, digits: .eight, truncationOffset: 3, addsChecksum: true),
      createdDate: date, lastAccessDate: date)
  }

  @Test(arguments: [
    (oath, OATHProfile.MovingFactor.time(period: 60)),
    (oath.replacing(#","period":60"#, with: ""), .counter),
  ])
  func `an authenticator between its QR code and its first code`(
    text: String, factor: OATHProfile.MovingFactor
  ) throws {
    let form: OathDeviceRecord.SealedForm = try #require(StoredJSON.value(from: Array(text.utf8)))
    let device = OathDeviceRecord(form, realm: "alpha", username: "demo")
    #expect(device == Self.authenticator(factor))
    // And what is written now has the same members.
    #expect(try StoredJSON.json(of: device.sealedForm) == JSONValue(parsing: text))
  }

  private static let messages: [(text: String, change: @Sendable (inout PushMessageRecord) -> Void)] = [
    (#"{"challenge":"AAEC"}"#, { $0.challenge = StoredSecret([0, 1, 2]) }),
    (
      #"{"challenge":"AAEC","answer":"NDI=","knownDevice":"known-1"}"#,
      {
        $0.challenge = StoredSecret([0, 1, 2])
        $0.answer = StoredSecret("42".utf8)
        $0.knownDevice = "known-1"
      }
    ),
    (
      """
      {"challenge":"AAEC","enrolment":{"uuid":"device-1","issuer":"An issuer","secret":"c2VjcmV0","limit":3,"first":true,\
      "oath":\(oath)}}
      """,
      {
        $0.challenge = StoredSecret([0, 1, 2])
        var enrolment = PushMessageRecord.Enrolment(
          uuid: "device-1", issuer: "An issuer", sharedSecret: StoredSecret("secret".utf8), deviceLimit: 3,
          oath: authenticator(.time(period: 60)))
        enrolment.onlyAsFirstFactor = true
        $0.enrolment = enrolment
      }
    ),
    (
      #"{"challenge":"AAEC","enrolment":{"uuid":"device-1","issuer":"An issuer","secret":"c2VjcmV0","limit":0}}"#,
      {
        $0.challenge = StoredSecret([0, 1, 2])
        $0.enrolment = PushMessageRecord.Enrolment(
          uuid: "device-1", issuer: "An issuer", sharedSecret: StoredSecret("secret".utf8), deviceLimit: 0)
      }
    ),
  ]

  @Test(arguments: messages.indices)
  func `a push message in the database`(index: Int) async throws {
    let (text, change) = Self.messages[index]
    try await withFolder { folder in
      let store = try SQLiteStore(directory: folder)
      try await store.createUser(.sample())
      var message = PushMessageRecord(
        id: "REGISTER:1", realm: "alpha", username: "demo", kind: .registration, challenge: StoredSecret([9]),
        sentAt: noon, expiresAt: noon + 300)
      try await store.openPushEnrolment(message)
      let sealed = try store.serverKey.seal(Array(text.utf8), named: "push message REGISTER:1")
      try await store.close()
      try tamper(folder, "UPDATE push_messages SET sealed = x'\(sealed.hexadecimal)'")
      let again = try SQLiteStore(directory: folder)
      change(&message)
      #expect(try await again.pushMessage(id: message.id, realm: "alpha") == message)
      try await again.close()
      #expect(try StoredJSON.json(of: message.sealedForm) == JSONValue(parsing: text))
    }
  }

  @Test func `the details of a grant`() throws {
    let text = """
      {"scope":["openid","offline_access"],"iss":"https://id.example.com/am/oauth2","redirect":"https://app.example.com/cb",\
      "auth_time":1800000000,"sid":"session","sub":"account","nonce":"n","challenge":"c","jkt":"key","acr":"2","amr":["pwd","otp"],\
      "push":"AUTHENTICATE:1"}
      """
    var details = GrantDetails(
      scopes: ["openid", "offline_access"], issuer: "https://id.example.com/am/oauth2", subject: "account")
    details.redirectURI = "https://app.example.com/cb"
    details.authenticatedAt = 1_800_000_000
    (details.sessionID, details.nonce, details.challenge) = ("session", "n", "c")
    (details.keyThumbprint, details.acr, details.methods) = ("key", "2", ["pwd", "otp"])
    details.pushMessage = "AUTHENTICATE:1"
    #expect(StoredJSON.value(from: Array(text.utf8)) == details)
    #expect(try StoredJSON.json(of: details) == JSONValue(parsing: text))
    #expect(StoredJSON.value(from: Array(#"{"scope":["openid"]}"#.utf8)) == GrantDetails(scopes: ["openid"]))
  }
}
