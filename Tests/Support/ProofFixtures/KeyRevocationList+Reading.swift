package import SSHFormats

/// What OpenSSH does with a list: Sealring only writes them.
extension KeyRevocationList {
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

  /// - Throws: ``SSHFormatError`` when it is malformed, and for sections that are not known: what they revoke would be left out.
  package init(parsing bytes: [UInt8]) throws(SSHFormatError) {
    var reader = SSHReader(bytes)
    // `SSHKRL\n\0`, and the format's number.
    guard try reader.uint64() == 0x5353_484B_524C_0A00, try reader.uint32() == 1 else {
      throw SSHFormatError("It is not a key revocation list of a known version.")
    }
    self.init(version: try reader.uint64(), generatedAt: try reader.uint64())
    guard try reader.uint64() == 0, try reader.string().isEmpty else {
      throw SSHFormatError("A reserved field is not empty.")
    }
    comment = try reader.text()
    while !reader.isAtEnd {
      let section = try reader.byte()
      var contents = SSHReader(try reader.string())
      switch section {
      case 1: certificates.append(try Self.certificates(&contents))
      case 2: while !contents.isAtEnd { keys.append(try contents.string()) }
      default: throw SSHFormatError("The list has a section that is not known here.")
      }
    }
  }

  private static func certificates(_ reader: inout SSHReader) throws(SSHFormatError) -> Certificates {
    let authority = try reader.string()
    guard try reader.string().isEmpty else { throw SSHFormatError("A reserved field is not empty.") }
    var (serials, identifiers) = ([ClosedRange<UInt64>](), [String]())
    while !reader.isAtEnd {
      let section = try reader.byte()
      var contents = SSHReader(try reader.string())
      switch section {
      case 0x20:
        while !contents.isAtEnd {
          let serial = try contents.uint64()
          serials.append(serial...serial)
        }
      case 0x21:
        let (first, last) = (try contents.uint64(), try contents.uint64())
        guard first <= last else { throw SSHFormatError("A range of serial numbers ends before it begins.") }
        serials.append(first...last)
      case 0x22: serials += try bitmap(&contents)
      case 0x23: while !contents.isAtEnd { identifiers.append(try contents.text()) }
      default: throw SSHFormatError("The list has a section that is not known here.")
      }
      try contents.end()
      // A bitmap writes eight in a byte.
      guard serials.count <= 1 << 17 else { throw SSHFormatError("The list has too many serial numbers.") }
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
