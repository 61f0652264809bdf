/// A key revocation list of OpenSSH (PROTOCOL.krl), which a server reads by its option `RevokedKeys`.
///
/// It names keys, and certificates of an authority by serial number or by identifier.
package struct KeyRevocationList: Sendable, Hashable {
  /// The certificates that one authority has revoked.
  package struct Certificates: Sendable, Hashable {
    /// The authority's key, in wire format.
    package var authority: [UInt8]
    /// Ranges of serial numbers, in order and not adjacent.
    package var serials: [ClosedRange<UInt64>]
    package var identifiers: [String]

    package init(authority: [UInt8], serials: [ClosedRange<UInt64>] = [], identifiers: [String] = []) {
      self.authority = authority
      self.serials = Self.merged(serials)
      self.identifiers = identifiers
    }

    private static func merged(_ ranges: [ClosedRange<UInt64>]) -> [ClosedRange<UInt64>] {
      ranges.sorted { $0.lowerBound < $1.lowerBound }.reduce(into: []) { merged, range in
        guard let last = merged.last, last.upperBound == .max || range.lowerBound <= last.upperBound + 1
        else {
          return merged.append(range)
        }
        merged[merged.count - 1] = last.lowerBound...max(last.upperBound, range.upperBound)
      }
    }
  }

  /// The version, which rises with each list.
  package var version: UInt64
  /// When it was made, in seconds since 1970.
  package var generatedAt: UInt64
  package var comment: String
  package var certificates: [Certificates]
  /// Keys that are revoked themselves, in wire format.
  package var keys: [[UInt8]]

  package init(
    version: UInt64, generatedAt: UInt64, comment: String = "", certificates: [Certificates] = [],
    keys: [[UInt8]] = []
  ) {
    (self.version, self.generatedAt, self.comment) = (version, generatedAt, comment)
    (self.certificates, self.keys) = (certificates, keys)
  }

  /// `SSHKRL\n\0`
  private static let magic: UInt64 = 0x5353_484B_524C_0A00
  private static let format: UInt32 = 1

  private enum Section: UInt8 {
    case certificates = 1
    case explicitKey = 2
  }

  private enum CertificateSection: UInt8 {
    case serialList = 0x20
    case serialRange = 0x21
    case identifiers = 0x23
  }

  /// The list as it is published.
  package var bytes: [UInt8] {
    SSHField.bytes(
      [
        .uint64(Self.magic), .uint32(Self.format), .uint64(version), .uint64(generatedAt),
        // Flags and a reserved field.
        .uint64(0), .string([]), .text(comment),
      ] + certificates.flatMap { Self.section(Section.certificates, Self.fields($0)) }
        + (keys.isEmpty ? [] : Self.section(Section.explicitKey, keys.map(SSHField.string))))
  }

  private static func section(_ kind: some RawRepresentable<UInt8>, _ fields: [SSHField]) -> [SSHField] {
    [.byte(kind.rawValue), .nested(fields)]
  }

  private static func fields(_ revoked: Certificates) -> [SSHField] {
    var fields: [SSHField] = [.string(revoked.authority), .string([])]
    let single = revoked.serials.filter { $0.lowerBound == $0.upperBound }
    if !single.isEmpty {
      fields += section(CertificateSection.serialList, single.map { .uint64($0.lowerBound) })
    }
    for range in revoked.serials where range.lowerBound < range.upperBound {
      let bounds: [SSHField] = [.uint64(range.lowerBound), .uint64(range.upperBound)]
      fields += section(CertificateSection.serialRange, bounds)
    }
    if !revoked.identifiers.isEmpty {
      fields += section(CertificateSection.identifiers, revoked.identifiers.map(SSHField.text))
    }
    return fields
  }
}
