internal import StrictJSON

/// A checkpoint's file from outside. Nothing in it may be trusted before ``verified(ledger:witness:)``.
public struct UnverifiedCheckpoint: Sendable, Hashable {
  private let header: String
  private let checkpoint: String
  private let consistency: ConsistencyProof?
  private let witness: String?

  /// How every such file begins.
  public static let start = Array(#"{"sealring":"\#(kind)""#.utf8)

  /// Longest file in bytes.
  public static let maximumBytes = 64 << 10

  static let kind = "evidence-checkpoint"
  private static let members: Set = [
    "sealring", "version", "header", "checkpoint", "consistency", "witness",
  ]

  /// Takes a file apart.
  ///
  /// - Throws: ``EvidenceFault`` of kind ``EvidenceFault/Kind/checkpoint``.
  public init(parsing bytes: [UInt8]) throws(EvidenceFault) {
    let limits = JSONLimits(maximumBytes: Self.maximumBytes, maximumDepth: 4)
    guard let json = try? JSONObject(parsing: bytes, limits: limits), json["sealring"] == .string(Self.kind)
    else { throw EvidenceFault(.checkpoint, "the file is not a checkpoint") }
    guard json["version"] == 1, Self.members.isSuperset(of: json.names),
      let header = json["header"]?.stringValue, let checkpoint = json["checkpoint"]?.stringValue
    else { throw EvidenceFault(.checkpoint, "it does not have the members of a checkpoint's file") }
    consistency = try json["consistency"].map { value throws(EvidenceFault) in
      guard let proof = ConsistencyProof(json: value) else {
        throw EvidenceFault(.proof, "its proof of consistency does not have the form of one")
      }
      return proof
    }
    witness = try json["witness"].map { value throws(EvidenceFault) in
      guard let text = value.stringValue else {
        throw EvidenceFault(.checkpoint, "its witness's signature is not text")
      }
      return text
    }
    self.header = header
    self.checkpoint = checkpoint
  }

  /// Verifies all signatures. ``VerifiedCheckpoint/requireContinuing(_:)`` checks whether it continues another checkpoint.
  ///
  /// - Parameters:
  ///   - ledger: the fingerprint of the ledger that it must be from; `nil` accepts any.
  ///   - witness: the thumbprint of the key that must have countersigned it; `nil` accepts any or none.
  /// - Throws: ``EvidenceFault``.
  public func verified(
    ledger: EvidenceHash? = nil, witness thumbprint: String? = nil
  ) throws(EvidenceFault) -> VerifiedCheckpoint {
    let header = try EvidenceHeader(line: Array(header.utf8))
    if let ledger { try header.requireFingerprint(ledger) }
    let checkpoint = try EvidenceCheckpoint(jws: checkpoint, header: header)
    let signature = try witness.map { jws throws(EvidenceFault) in
      try WitnessSignature(jws: jws, of: checkpoint)
    }
    if let thumbprint, signature?.thumbprint != thumbprint {
      throw EvidenceFault(
        .checkpoint,
        signature.map { "its witness has the key \($0.thumbprint), not \(thumbprint)" }
          ?? "no witness has countersigned it")
    }
    return try VerifiedCheckpoint(
      header: header, checkpoint: checkpoint, consistency: consistency, witness: signature)
  }
}

/// The claimed proof that a checkpoint's tree continues an earlier one.
struct ConsistencyProof: Sendable, Hashable {
  /// The size of the earlier tree; at least 1.
  let from: Int64
  let path: MerklePath
}

extension ConsistencyProof {
  init?(json: JSONValue) {
    guard let json = json.objectValue, json.count == 2, let from = json["from"]?.integerValue, from > 0,
      let path = MerklePath(json: json["path"])
    else { return nil }
    self.init(from: from, path: path)
  }

  var json: JSONValue { ["from": .integer(from), "path": path.json] }
}

extension EvidenceHeader {
  /// - Throws: ``EvidenceFault`` of kind ``EvidenceFault/Kind/ledger``.
  func requireFingerprint(_ expected: EvidenceHash) throws(EvidenceFault) {
    guard fingerprint == expected else {
      throw EvidenceFault(
        .ledger, "its fingerprint is \(fingerprint), not \(expected): this is another ledger")
    }
  }
}
