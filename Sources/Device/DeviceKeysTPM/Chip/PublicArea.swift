internal import Crypto
internal import CTSS2
internal import DeviceKeys

/// The public area of an object in the TPM (TPMT_PUBLIC, TPM 2.0 Library, Part 2 §12.2.4), with its marshalled form.
struct PublicArea {
  /// The value as ESAPI takes it.
  let value: TPM2B_PUBLIC
  /// TPM2B_PUBLIC: a size of two bytes, then ``marshalled``.
  let sized: [UInt8]

  init(_ value: TPM2B_PUBLIC) throws {
    self.value = value
    var copy = value
    sized = try Marshalling.bytes(of: &copy, Tss2_MU_TPM2B_PUBLIC_Marshal)
  }

  /// - Throws: ``TPMFailure`` unless `sized` is one public area and nothing else.
  init(sized: [UInt8]) throws {
    value = try Marshalling.read(sized, into: TPM2B_PUBLIC(), Tss2_MU_TPM2B_PUBLIC_Unmarshal)
    self.sized = sized
  }

  /// Checks that this is the public area of a key made from `template`: everything but the key itself is the same.
  func requireKind(of template: TPM2B_PUBLIC) throws {
    var expected = template
    expected.publicArea.unique = value.publicArea.unique
    guard try PublicArea(expected).sized == sized else {
      throw DeviceKeyError.unsupported(
        "The TPM answered with a key of another kind than it was asked for. Something between this program and the chip may have"
          + " changed the answer; nothing was sent to it.")
    }
  }

  /// TPMT_PUBLIC.
  var marshalled: [UInt8] { Array(sized.dropFirst(2)) }

  /// The object's Name, which identifies it in 34 bytes (Part 1 §16). The name algorithm is SHA-256 in all our templates.
  var name: [UInt8] {
    [UInt8(TPM2_ALG_SHA256 >> 8), UInt8(TPM2_ALG_SHA256 & 0xff)] + SHA256.hash(data: marshalled)
  }

  var attributes: TPMA_OBJECT { value.publicArea.objectAttributes }

  /// The public key as an uncompressed point, 04 ‖ x ‖ y (SEC 1 §2.3.3); `nil` unless it is on P-256.
  var p256X963: [UInt8]? {
    let area = value.publicArea
    guard area.type == TPM2_ALG_ECC, area.nameAlg == TPM2_ALG_SHA256,
      area.parameters.eccDetail.curveID == TPM2_ECC_NIST_P256,
      area.unique.ecc.x.size <= 32, area.unique.ecc.y.size <= 32
    else { return nil }
    return [4] + area.unique.ecc.x.padded + area.unique.ecc.y.padded
  }
}
