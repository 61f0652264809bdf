@testable import PasswordHashing

extension FuzzTarget {
  /// A stored hash is refused before it costs anything, or the library can check against it.
  static let argon2 = FuzzTarget(text: { text in
    guard let hash = try? Argon2Hash(text, limit: .ceiling) else { return }
    expect(hash.cost.isAcceptable(within: .ceiling) && text.utf8.count <= 256, "a hash may cost too much")
    expect(!hash.description.contains(text.split(separator: "$").last ?? "?"), "a hash is printed")
    guard hash.cost.memoryKiB <= 64, hash.cost.iterations <= 2, hash.cost.parallelism <= 2 else { return }
    expect((try? hash.matches([1, 2, 3])) != nil, "a hash that was read cannot be checked against")
  })
}
