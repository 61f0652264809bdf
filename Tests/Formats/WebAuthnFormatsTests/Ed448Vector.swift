/// Signatures of RFC 8032 §7.4, the tests "Blank" and "1 octet"; python's `cryptography` makes the same.
struct Ed448Vector: Sendable, CustomStringConvertible {
  let description: String
  let key: [UInt8]
  let message: [UInt8]
  let signature: [UInt8]

  static let all = [
    Ed448Vector(
      description: "Blank",
      key: bytes(
        """
        5fd7449b59b461fd2ce787ec616ad46a1da1342485a70e1f8a0ea75d80e96778\
        edf124769b46c7061bd6783df1e50f6cd1fa1abeafe8256180
        """), message: [],
      signature: bytes(
        """
        533a37f6bbe457251f023c0d88f976ae2dfb504a843e34d2074fd823d41a591f\
        2b233f034f628281f2fd7a22ddd47d7828c59bd0a21bfd3980ff0d2028d4b18a\
        9df63e006c5d1c2d345b925d8dc00b4104852db99ac5c7cdda8530a113a0f4db\
        b61149f05a7363268c71d95808ff2e652600
        """)),
    Ed448Vector(
      description: "1 octet",
      key: bytes(
        """
        43ba28f430cdff456ae531545f7ecd0ac834a55d9358c0372bfa0c6c6798c086\
        6aea01eb00742802b8438ea4cb82169c235160627b4c3a9480
        """), message: [3],
      signature: bytes(
        """
        26b8f91727bd62897af15e41eb43c377efb9c610d48f2335cb0bd0087810f435\
        2541b143c4b981b7e18f62de8ccdf633fc1bf037ab7cd779805e0dbcc0aae1cb\
        cee1afb2e027df36bc04dcecbf154336c19f0af7e0a6472905e799f1953d2a0f\
        f3348ab21aa4adafd1d234441cf807c03a00
        """)),
  ]
}
