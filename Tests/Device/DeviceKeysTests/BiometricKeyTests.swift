import CommonFixtures
import DeviceKeys
import Foundation
import StrictJSON
import Testing

/// Keys that are unlocked by a value that somebody releases who verified the person.
@Suite struct BiometricKeyTests {
  enum Kind: CaseIterable {
    case software, memory
  }

  let folder = TemporaryFolder()
  let value = AuthorizationValue()

  func store(_ kind: Kind) throws -> any DeviceKeyStore {
    switch kind {
    case .software: try folder.store()
    case .memory: MemoryKeyStore()
    }
  }

  @Test(arguments: Kind.allCases, [KeyProtection.biometricOnly, .biometricOrCredential])
  func `its value unlocks the key and nothing else`(kind: Kind, protection: KeyProtection) async throws {
    let store = try store(kind)
    #expect(store.supports(protection) && !store.verifiesPerson)
    let key = try await store.createKey(tag: "k", protection: protection, unlock: .authorization(value))
    #expect(try await store.openKey(tag: "k", unlock: .authorization(value)).publicKey == key.publicKey)
    #expect(try await store.keys().map(\.protection) == [protection])

    // Mixed up, not guessed: it is not counted either.
    for _ in 0..<12 {
      let error = await #expect(throws: DeviceKeyError.self) {
        try await store.openKey(tag: "k", unlock: .authorization(AuthorizationValue()))
      }
      guard case .unreadable = error else { Issue.record("\(String(describing: error))"); return }
      #expect(try #require(error?.errorDescription).contains("does not belong to this key"))
    }
    for unlock in [KeyUnlock.nothing, .pin(PIN("4711")), .systemPrompt(reason: "Sign in")] {
      let error = await #expect(throws: DeviceKeyError.self) {
        try await store.openKey(tag: "k", unlock: unlock)
      }
      guard case .unsupported = error else { Issue.record("\(String(describing: error))"); return }
    }
    _ = try await store.openKey(tag: "k", unlock: .authorization(value))
  }

  @Test(arguments: Kind.allCases, [KeyProtection.none, .applicationPIN])
  func `a value makes no other key`(kind: Kind, protection: KeyProtection) async throws {
    let store = try store(kind)
    await #expect(throws: DeviceKeyError.self) {
      try await store.createKey(tag: "k", protection: protection, unlock: .authorization(value))
    }
    #expect(try await store.keys().isEmpty)
  }

  @Test(arguments: [
    (KeyProtection.none, KeyUnlock.nothing, 1), (.applicationPIN, .pin(PIN("4711")), 1),
    (.biometricOnly, .authorization(AuthorizationValue()), 2),
  ])
  func `programs that know no values see another version`(
    protection: KeyProtection, unlock: KeyUnlock, version: Int
  ) async throws {
    _ = try await folder.store().createKey(tag: "k", protection: protection, unlock: unlock)
    let json = try JSONValue(parsing: Array(Data(contentsOf: try #require(folder.keyFiles().first))))
    #expect(json["version"]?.integerValue == Int64(version))
  }

  /// Fixed bytes in the format of version 1, as older programs left them on devices.
  @Test func `files of version 1 are still opened`() async throws {
    for (name, content) in Self.version1 {
      try FileManager.default.createDirectory(at: folder.url, withIntermediateDirectories: true)
      try #require(Data(base64Encoded: content)).write(to: folder.url.appendingPathComponent(name))
    }
    let store = try folder.store()
    #expect(try await store.keys().map(\.tag).sorted() == ["plain", "with pin"])
    _ = try await store.openKey(tag: "plain", unlock: .nothing)
    _ = try await store.openKey(tag: "with pin", unlock: .pin(PIN("4711")))
  }

  static let version1: [(String, String)] = [
    ("device.secret", "1/eRiXCv5b4/OmrkkTN53h6ntzA9S7EIDh0NRNOKshg="),
    (
      "n57c8ThboQ32dSplT0Ti-rAJbcIuheFW7cIDAsBG3os.key",
      """
      eyJ2ZXJzaW9uIjoxLCJ0YWciOiJ3aXRoIHBpbiIsInByb3RlY3Rpb24iOiJBUFBMSUNBVElPTl9QSU4iLCJwdWJsaW\
      NLZXkiOnsia3R5IjoiRUMiLCJjcnYiOiJQLTI1NiIsIngiOiJCZ3JIQTllNEthc3pKUjNzczlPZUF3THZWWk1UQl9J\
      VDlPYlpTbTJMa3NVIiwieSI6IkhHb2FmNkxPcVM2MGllUDE0NW5uSE55aGdUb2JWZEJtMXhqSUtlUldKam8iLCJ1c2\
      UiOiJzaWciLCJhbGciOiJFUzI1NiJ9LCJjcmVhdGVkQXQiOjE3OTUyNjA5ODE4OTIsImtkZiI6eyJuYW1lIjoic2Ny\
      eXB0K0hLREYtU0hBMjU2IiwibiI6MTYsInIiOjgsInAiOjF9LCJzYWx0Ijoib3FINDVMY1pna3Iwd3lYN2dVWGpRUS\
      IsIm5vbmNlIjoiRUNxWlpNbDNSUUZkQmhDNiIsImNpcGhlcnRleHQiOiJIdi1OTU84VjVfY0p3aGFSdEYtQTJZYmRJ\
      XzlsbjBSTHVNVjRUNno1dWg5NzFEU05mdTFtNGpTSWl2cTBFR2JpIiwibWFjIjoiSkdVeUxXbzFqLTZHOEp5MFRZeE\
      5PWXZ2OUxZYzVjclhqbVhWN2RkYmNmdyJ9
      """
    ),
    (
      "oRbJ7UbWIHc0pDMX0w_Yj1KshjTDfZBLv05B2GX5BHU.key",
      """
      eyJ2ZXJzaW9uIjoxLCJ0YWciOiJwbGFpbiIsInByb3RlY3Rpb24iOiJOT05FIiwicHVibGljS2V5Ijp7Imt0eSI6Ik\
      VDIiwiY3J2IjoiUC0yNTYiLCJ4IjoiQWlXQzBRVmtsSTVsMUZPaDA3eHE2OTd6b3YxbFB5bE8ycmR2VjB4ZzA5WSIs\
      InkiOiJiRGk2SWRCQnVyWFpiYVJmRkpjYWxUZE1BWkRHcnV0ZUkwUS0yeGdaR1hNIiwidXNlIjoic2lnIiwiYWxnIj\
      oiRVMyNTYifSwiY3JlYXRlZEF0IjoxNzk1MjYwOTgxODkwLCJrZGYiOnsibmFtZSI6IkhLREYtU0hBMjU2In0sInNh\
      bHQiOiJOTGYzVVBkNEdSM25sX0VTNjNIRE5BIiwibm9uY2UiOiI5ZmlPYldYakhSVHozTXBXIiwiY2lwaGVydGV4dC\
      I6IjhSTGd2aldjbmxfanRQQ1k4Z04weExDR29hQ2QzS1FjZ3N5V1NaNFdxWHRtdnYxZzRWNXhPVk1OQ2h1Zkx6SDki\
      LCJtYWMiOiJmUEFrWTdfQkVwNW5xeEQyU21YZmJVSEJwczdKd2FWS0RQeEFvYmdDQWZrIn0=
      """
    ),
  ]
}
