import SwiftASN1
import X509

/// Extensions about certificate policies (RFC 5280 §4.2.1.4, §4.2.1.5, §4.2.1.11, §4.2.1.14), written byte by byte.
enum PolicyExtensions {
  /// Microsoft's policy of TPMs' attestation keys, 1.3.6.1.4.1.311.21.31.
  static let tpmPolicy: [UInt8] = [6, 9, 0x2B, 6, 1, 4, 1, 0x82, 0x37, 0x15, 0x1F]
  static let notice: [UInt8] = [6, 8, 0x2B, 6, 1, 5, 5, 7, 2, 2]
  static let statement: [UInt8] = [6, 8, 0x2B, 6, 1, 5, 5, 7, 2, 1]

  /// A notice whose BMPString has a byte too many: nobody reads it.
  static let text = tlv(0x30, tlv(0x1E, [0, 0x54, 0, 0x43, 0, 0x50, 0, 0x41, 0]))

  static let policies = critical([2, 5, 29, 32], list(policy(tpmPolicy, qualifier(notice, text))))

  static func policy(_ identifier: [UInt8], _ qualifiers: [UInt8]...) -> [UInt8] {
    tlv(0x30, identifier + (qualifiers.isEmpty ? [] : list(qualifiers.flatMap(\.self))))
  }

  static func qualifier(_ kind: [UInt8], _ value: [UInt8]) -> [UInt8] { tlv(0x30, kind + value) }

  static func list(_ content: [UInt8]) -> [UInt8] { tlv(0x30, content) }

  static func critical(_ identifier: ASN1ObjectIdentifier, _ value: [UInt8]) -> Certificate.Extension {
    Certificate.Extension(oid: identifier, critical: true, value: value[...])
  }

  /// For contents of up to 127 bytes.
  static func tlv(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] { [tag, UInt8(content.count)] + content }
}
