internal import Crypto
package import StrictJSON

/// The data that an app has attested: the server's challenge, and which app it says it is.
package struct AppIntegrityClientData: Sendable, Hashable {
  /// The challenge, as in the callback.
  package let challenge: String

  /// The bundle identifier, without a team's prefix; `nil` when the client sent none.
  package let bundleID: String?

  /// Longest encoding that is read, in bytes.
  static let maximumBytes = 4 << 10

  private static let challengeMember = "challenge"
  private static let bundleMember = "bundleId"

  package init(challenge: String, bundleID: String?) {
    self.challenge = challenge
    self.bundleID = bundleID
  }

  /// `challenge` and `bundleId`.
  package var json: JSONObject {
    var json: JSONObject = [Self.challengeMember: .string(challenge)]
    json[Self.bundleMember] = bundleID.map(JSONValue.string)
    return json
  }

  /// Reads ``json``; further members are ignored.
  ///
  /// - Throws: ``AppIntegrityFailure/Check/clientDataMalformed``.
  package init(parsing bytes: [UInt8]) throws(AppIntegrityFailure) {
    guard bytes.count <= Self.maximumBytes, let json = try? JSONObject(parsing: bytes),
      let challenge = json[Self.challengeMember]?.stringValue
    else {
      throw AppIntegrityFailure(
        .clientDataMalformed, "it is not a JSON object of at most \(Self.maximumBytes) bytes with a challenge"
      )
    }
    let bundle = json[Self.bundleMember]
    guard bundle == nil || bundle?.stringValue != nil else {
      throw AppIntegrityFailure(.clientDataMalformed, "\(Self.bundleMember) is not text")
    }
    self.init(challenge: challenge, bundleID: bundle?.stringValue)
  }

  /// The SHA-256 of encoded client data, which App Attest attests.
  package static func hash(_ encoded: [UInt8]) -> [UInt8] { Array(SHA256.hash(data: encoded)) }
}
