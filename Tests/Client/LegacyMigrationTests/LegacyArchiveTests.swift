import Foundation
import StrictJSON
import Testing

@testable import LegacyMigration

/// Archives as the earlier authenticator's classes write them: one object, its class by name, members by key.
@Suite struct LegacyArchiveTests {
  private static let mechanism: [String: any Sendable] = [
    "mechanismUUID": "uid", "type": "hotp", "issuer": "Äcme", "accountName": "ada", "secret": "S",
    "algorithm": "sha1",
    "regEndpoint": "https://r", "authEndpoint": "https://a", "uid": "u", "resourceId": "r", "version": 1,
    "digits": 6,
    "counter": 1_000_000_007,
  ]

  @Test(arguments: ["FRAuthenticator.HOTPMechanism", "FRAuthenticator.PushMechanism", "TOTPMechanism"])
  func `a mechanism's members are read under the names of the JSON form`(name: String) throws {
    let content = try KeyedArchive(name, Self.mechanism).data
    #expect(
      LegacyArchive.members(of: content) == [
        "mechanismUID": "uid", "type": "hotp", "issuer": "Äcme", "accountName": "ada", "secret": "S",
        "algorithm": "sha1", "registrationEndpoint": "https://r", "authenticationEndpoint": "https://a",
        "uid": "u", "resourceId": "r", "version": 1, "digits": 6, "counter": 1_000_000_007,
      ] as JSONObject)
  }

  /// Written by Python's `plistlib`, as `NSKeyedArchiver` lays an object out.
  private static let vector =
    "YnBsaXN0MDDUAQIDBAUGBwpYJHZlcnNpb25ZJGFyY2hpdmVyVCR0b3BYJG9iamVjdHMSAAGGoF8QD05TS2V5ZWRBcm"
    + "NoaXZlctEICVRyb290gAGpCwwjJCUmJy8wVSRudWxs2w0ODxAREhMUFRYXGBkaGxwdHh8gISJWJGNsYXNzXW1lY2hh"
    + "bmlzbVVVSURUdHlwZVZpc3N1ZXJbYWNjb3VudE5hbWVWc2VjcmV0WWFsZ29yaXRobVZkaWdpdHNXY291bnRlcld2ZX"
    + "JzaW9uWXRpbWVBZGRlZIAGgAKAA4AEgAWAB4AIEAYRASwQASNB2VT8QCAAAFd1aWQtYWRhVGhvdHBnAMQAYwBtAGUA"
    + "IGXlZyxTYWRh0igpKitaJGNsYXNzbmFtZVgkY2xhc3Nlc18QHUZSQXV0aGVudGljYXRvci5IT1RQTWVjaGFuaXNtpC"
    + "osLS5fEB1GUkF1dGhlbnRpY2F0b3IuT2F0aE1lY2hhbmlzbV8QGUZSQXV0aGVudGljYXRvci5NZWNoYW5pc21YTlNP"
    + "YmplY3RfECBKQlNXWTNEUEVIUEszUFhQSkJTV1kzRFBFSFBLM1BYUFRzaGExAAgAEQAaACQAKQAyADcASQBMAFEAUw"
    + "BdAGMAegCBAI8AlACbAKcArgC4AL8AxwDPANkA2wDdAN8A4QDjAOUA5wDpAOwA7gD3AP8BBAETARcBHAEnATABUAFV"
    + "AXUBkQGaAb0AAAAAAAACAQAAAAAAAAAxAAAAAAAAAAAAAAAAAAABwg=="

  @Test func `an archive that another program has written`() throws {
    let content = try #require(Data(base64Encoded: Self.vector))
    #expect(
      LegacyArchive.members(of: content) == [
        "mechanismUID": "uid-ada", "type": "hotp", "issuer": "Äcme 日本", "accountName": "ada",
        "secret": "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP", "algorithm": "sha1", "digits": 6, "counter": 300,
        "version": 1, "timeAdded": 1_700_000_000_500.0,
      ] as JSONObject)
  }

  @Test func `an account's members are read under the names of the JSON form`() throws {
    let content = try KeyedArchive(
      "FRAuthenticator.Account",
      [
        "issuer": "Acme", "accountName": "ada", "imageUrl": "https://i", "policies": "{}", "lock": true,
        "lockingPolicy": "$null", "displayIssuer": String(repeating: "long ", count: 40),
      ]
    ).data
    #expect(
      LegacyArchive.members(of: content) == [
        "issuer": "Acme", "accountName": "ada", "imageURL": "https://i", "policies": "{}", "lock": true,
        "displayIssuer": .string(String(repeating: "long ", count: 40)),
      ] as JSONObject)
  }

  @Test func `a time is a number of seconds or a date`() throws {
    for value in [1_700_000_000.5, Date(timeIntervalSince1970: 1_700_000_000.5)] as [any Sendable] {
      let content = try KeyedArchive("FRAuthenticator.Account", ["timeAdded": value]).data
      #expect(LegacyArchive.members(of: content)?["timeAdded"]?.doubleValue == 1_700_000_000_500)
    }
  }

  @Test(arguments: ["Other.Thing", "Other.TOTPMechanism", "NSString", ""])
  func `an archive of somebody else's class is left alone`(name: String) throws {
    let content = try KeyedArchive(name, Self.mechanism).data
    #expect(LegacyArchive.members(of: content) == nil)
    #expect(throws: LegacyEntry.Fault.self) { try LegacyEntry(content) }
  }

  @Test func `half an archive is left alone, and any changed byte is read or refused`() throws {
    let whole = try KeyedArchive("FRAuthenticator.TOTPMechanism", Self.mechanism).data
    #expect(LegacyArchive.members(of: whole) != nil)
    for count in 0..<whole.count { #expect(LegacyArchive.members(of: whole.prefix(count)) == nil) }
    for place in whole.indices {
      for byte in [0x00, 0x0F, 0x1F, 0x13, 0x5F, 0x6F, 0x80, 0x8F, 0xAF, 0xDF, 0xFF] as [UInt8] {
        var changed = whole
        changed[place] = byte
        _ = LegacyArchive.members(of: changed)
      }
    }
    // A slice of other data has indices of its own.
    #expect(LegacyArchive.members(of: (Data("12".utf8) + whole).dropFirst(2)) != nil)
  }

  @Test func `what is too large is left alone`() throws {
    let long = try KeyedArchive("FRAuthenticator.Account", ["issuer": String(repeating: "a", count: 70_000)])
      .data
    #expect(LegacyArchive.members(of: long) == nil)
  }
}

/// Writes what `NSKeyedArchiver` writes of one object: Foundation's own, off Apple platforms, names no class that is not its.
private struct KeyedArchive {
  let data: Data

  init(_ name: String, _ members: [String: any Sendable]) throws {
    var plist = Writer()
    var objects: [Int] = [plist.text("$null")]
    var keys: [Int] = [plist.text("$class")]
    var values: [Int] = [plist.uid(2)]
    var more: [Int] = []
    for (key, value) in members.sorted(by: { $0.key < $1.key }) {
      keys.append(plist.text(key))
      switch value {
      case let value as String:
        values.append(plist.uid(3 + more.count))
        more.append(plist.text(value))
      case let value as Date:
        values.append(plist.uid(3 + more.count))
        more.append(
          plist.dictionary([plist.text("NS.time")], [plist.real(value.timeIntervalSinceReferenceDate)]))
      case let value as Bool where "\(type(of: value))" == "Bool": values.append(plist.bool(value))
      case let value as Int: values.append(plist.integer(value))
      case let value as Double: values.append(plist.real(value))
      default: throw CocoaError(.coderInvalidValue)
      }
    }
    objects.append(plist.dictionary(keys, values))
    objects.append(
      plist.dictionary(
        [plist.text("$classname"), plist.text("$classes")],
        [plist.text(name), plist.array([plist.text(name), plist.text("NSObject")])]))
    objects += more
    let top = plist.dictionary([plist.text("root")], [plist.uid(1)])
    let root = plist.dictionary(
      [plist.text("$version"), plist.text("$archiver"), plist.text("$top"), plist.text("$objects")],
      [plist.integer(100_000), plist.text("NSKeyedArchiver"), top, plist.array(objects)])
    data = plist.finished(top: root)
  }

  /// Apple's binary property list, with references of two bytes.
  private struct Writer {
    private var bytes = Data("bplist00".utf8)
    private var offsets: [Int] = []

    mutating func bool(_ value: Bool) -> Int { add([value ? 9 : 8]) }
    mutating func uid(_ value: Int) -> Int { add([0x80, UInt8(value)]) }
    mutating func integer(_ value: Int) -> Int { add([0x13] + big(UInt64(bitPattern: Int64(value)), 8)) }
    mutating func real(_ value: Double) -> Int { add([0x23] + big(value.bitPattern, 8)) }

    mutating func text(_ value: String) -> Int {
      if value.utf8.allSatisfy({ $0 < 0x80 }) { return add(head(0x50, value.utf8.count) + value.utf8) }
      return add(head(0x60, value.utf16.count) + value.utf16.flatMap { big(UInt64($0), 2) })
    }

    mutating func array(_ items: [Int]) -> Int {
      add(head(0xA0, items.count) + items.flatMap { big(UInt64($0), 2) })
    }

    mutating func dictionary(_ keys: [Int], _ values: [Int]) -> Int {
      add(head(0xD0, keys.count) + (keys + values).flatMap { big(UInt64($0), 2) })
    }

    func finished(top: Int) -> Data {
      let table = offsets.flatMap { big(UInt64($0), 4) }
      let trailer =
        [0, 0, 0, 0, 0, 0, 4, 2] + big(UInt64(offsets.count), 8) + big(UInt64(top), 8)
        + big(UInt64(bytes.count), 8)
      return bytes + table + trailer
    }

    private mutating func add(_ object: [UInt8]) -> Int {
      offsets.append(bytes.count)
      bytes += object
      return offsets.count - 1
    }

    private func head(_ kind: UInt8, _ count: Int) -> [UInt8] {
      count < 15 ? [kind | UInt8(count)] : [kind | 0x0F, 0x12] + big(UInt64(count), 4)
    }

    private func big(_ value: UInt64, _ size: Int) -> [UInt8] {
      (0..<size).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * UInt64($0))) }
    }
  }
}
