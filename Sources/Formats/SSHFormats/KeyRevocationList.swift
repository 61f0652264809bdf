/// A key revocation list of OpenSSH (PROTOCOL.krl): what `RevokedKeys` of a server reads.
///
/// It names keys, and certificates of an authority by serial number or by identifier.
package struct KeyRevocationList: Sendable, Hashable {
  /// What one authority has taken back.
  package struct Certificates: Sendable, Hashable {
    /// The authority's key, as it travels.
    package var authority: [UInt8]
    /// Serial numbers, in order and apart from one another.
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

  /// Rises with each list.
  package var version: UInt64
  /// When it was made, in seconds since 1970.
  package var generatedAt: UInt64
  package var comment: String
  package var certificates: [Certificates]
  /// Keys that are revoked themselves, as they travel.
  package var keys: [[UInt8]]

  package init(
    version: UInt64, generatedAt: UInt64, comment: String = "", certificates: [Certificates] = [],
    keys: [[UInt8]] = []
  ) {
    (self.version, self.generatedAt, self.comment) = (version, generatedAt, comment)
    (self.certificates, self.keys) = (certificates, keys)
  }

  /// The longest list that is read, in bytes.
  package static let maximumBytes = 4 << 20
  /// Of one authority; a bitmap writes eight in a byte.
  private static let mostSerials = 1 << 17
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
    case serialBitmap = 0x22
    case identifiers = 0x23
  }

  /// Whether the certificate, or its key, or its authority's, was taken back.
  package func revokes(_ certificate: SSHCertificate) -> Bool {
    if keys.contains(certificate.contents.key.blob) || keys.contains(certificate.authority.blob)
      || keys.contains(certificate.blob)
    {
      return true
    }
    return certificates.contains { revoked in
      revoked.authority == certificate.authority.blob
        && (revoked.serials.contains { $0.contains(certificate.contents.serial) }
          || revoked.identifiers.contains(certificate.contents.identifier))
    }
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

  /// - Throws: ``SSHFormatError`` when it is malformed, and for sections that are not known: what they revoke would be left out.
  package init(parsing bytes: [UInt8]) throws(SSHFormatError) {
    guard bytes.count <= Self.maximumBytes else { throw SSHFormatError("The list is longer than 4 MiB.") }
    var reader = SSHReader(bytes)
    guard try reader.uint64() == Self.magic, try reader.uint32() == Self.format else {
      throw SSHFormatError("It is not a key revocation list of a known version.")
    }
    version = try reader.uint64()
    generatedAt = try reader.uint64()
    guard try reader.uint64() == 0, try reader.string().isEmpty else {
      throw SSHFormatError("A reserved field is not empty.")
    }
    comment = try reader.text()
    (certificates, keys) = ([], [])
    while !reader.isAtEnd {
      let section = Section(rawValue: try reader.byte())
      var contents = SSHReader(try reader.string())
      switch section {
      case .certificates: certificates.append(try Self.certificates(&contents))
      case .explicitKey: while !contents.isAtEnd { keys.append(try contents.string()) }
      case nil: throw SSHFormatError("The list has a section that is not known here.")
      }
    }
  }

  private static func certificates(_ reader: inout SSHReader) throws(SSHFormatError) -> Certificates {
    let authority = try reader.string()
    guard try reader.string().isEmpty else { throw SSHFormatError("A reserved field is not empty.") }
    var (serials, identifiers) = ([ClosedRange<UInt64>](), [String]())
    while !reader.isAtEnd {
      let section = CertificateSection(rawValue: try reader.byte())
      var contents = SSHReader(try reader.string())
      switch section {
      case .serialList:
        while !contents.isAtEnd {
          let serial = try contents.uint64()
          serials.append(serial...serial)
        }
      case .serialRange:
        let (first, last) = (try contents.uint64(), try contents.uint64())
        guard first <= last else { throw SSHFormatError("A range of serial numbers ends before it begins.") }
        serials.append(first...last)
      case .serialBitmap: serials += try bitmap(&contents)
      case .identifiers: while !contents.isAtEnd { identifiers.append(try contents.text()) }
      case nil: throw SSHFormatError("The list has a section that is not known here.")
      }
      try contents.end()
      guard serials.count <= mostSerials else {
        throw SSHFormatError("The list has too many serial numbers.")
      }
    }
    return Certificates(authority: authority, serials: serials, identifiers: identifiers)
  }

  /// A first serial number, and a number whose bits say which of those that follow are revoked.
  private static func bitmap(_ reader: inout SSHReader) throws(SSHFormatError) -> [ClosedRange<UInt64>] {
    let base = try reader.uint64()
    let digits = try reader.number(limit: 1 << 14)
    var serials: [ClosedRange<UInt64>] = []
    for (place, digit) in digits.reversed().enumerated() {
      for bit in 0..<8 where digit >> bit & 1 == 1 {
        let (serial, isTooLarge) = base.addingReportingOverflow(UInt64(place * 8 + bit))
        guard !isTooLarge else { throw SSHFormatError("A serial number has more than 64 bits.") }
        serials.append(serial...serial)
      }
    }
    return serials
  }
}
