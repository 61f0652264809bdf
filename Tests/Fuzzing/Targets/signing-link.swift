import Bytes
import Foundation

extension FuzzTarget {
  /// A link that any web page can make: what is read is bounded and survives writing, and the answer goes to the server that the link names.
  static let signingLink = FuzzTarget(text: { text in
    guard let link = try? SigningLink(parsing: text) else { return }
    expect(text.utf8.count <= SigningLink.longest, "a long link is read")
    expect(
      link.id.utf8.count == 32 && (1...3600).contains(link.timeout), "an id or a time limit is not bounded")
    let (answer, server) = (
      URLComponents(string: link.answerAddress(jws: "a.b.c")), URLComponents(string: link.server)
    )
    expect(answer != nil && server != nil, "an address is not one: \(link.server)")
    expect(
      answer?.scheme == server?.scheme && answer?.host == server?.host && answer?.port == server?.port
        && answer?.user == nil && answer?.password == nil, "the answer goes elsewhere: \(link.server)")
    expect(answer?.fragment == "id=\(link.id)&signed=a.b.c", "the answer is where servers see it")
    var parts = [
      ("server", link.server + "/"), ("realm", link.realm), ("id", link.id), ("challenge", link.challenge),
      ("timeout", String(link.timeout)),
    ]
    if let user = link.userID { parts.append(("user", user)) }
    if let transaction = link.transaction { parts.append(("transaction", transaction)) }
    let written =
      "sealring://sign?" + parts.map { "\($0)=\(PercentEncoding.encode($1))" }.joined(separator: "&")
    if written.utf8.count <= SigningLink.longest {
      expect((try? SigningLink(parsing: written)) == link, "a link changes: \(written)")
    }
    let outputs = link.callback["output"] as? [[String: Any]] ?? []
    expect(outputs.count == (link.transaction == nil ? 3 : 4), "a transaction is left out")
  })
}
