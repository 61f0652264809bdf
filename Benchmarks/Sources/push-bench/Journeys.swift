/// The journeys of the benchmark. They ask for no password: a password hash costs more than all the rest, on purpose.
enum Journeys {
  static let register = "BenchRegister"
  static let signIn = "BenchPush"

  private static let success = "70e691a5-1e33-4ac3-a356-e7b6d60d92e0"
  private static let failure = "e301438c-0bd0-429c-ab0c-66126501069a"

  /// By file name.
  static let files = [
    register: """
    {"nodes": {
      "name": {"_id": "name", "_type": {"_id": "UsernameCollectorNode"}},
      "register": {"_id": "register", "_type": {"_id": "PushRegistrationNode"}, "issuer": "Bench",
        "generateRecoveryCodes": false, "timeout": 300}},
     "tree": {"_id": "\(register)", "entryNodeId": "name", "nodes": {
      "name": {"nodeType": "UsernameCollectorNode", "displayName": "Name", "connections": {"outcome": "register"}},
      "register": {"nodeType": "PushRegistrationNode", "displayName": "Register", "connections": {
        "successOutcome": "\(success)", "failureOutcome": "\(failure)", "timeoutOutcome": "\(failure)"}}}}}
    """,
    // The page after the push asks for the name again instead of waiting a fixed time: it is posted when the device has answered.
    signIn: """
    {"nodes": {
      "name": {"_id": "name", "_type": {"_id": "UsernameCollectorNode"}},
      "send": {"_id": "send", "_type": {"_id": "PushAuthenticationSenderNode"}, "mandatory": true,
        "contextInfo": true},
      "page": {"_id": "page", "_type": {"_id": "UsernameCollectorNode"}},
      "verify": {"_id": "verify", "_type": {"_id": "PushResultVerifierNode"}}},
     "tree": {"_id": "\(signIn)", "entryNodeId": "name", "nodes": {
      "name": {"nodeType": "UsernameCollectorNode", "displayName": "Name", "connections": {"outcome": "send"}},
      "send": {"nodeType": "PushAuthenticationSenderNode", "displayName": "Send",
        "connections": {"SENT": "page", "NOT_REGISTERED": "\(failure)"}},
      "page": {"nodeType": "UsernameCollectorNode", "displayName": "Page", "connections": {"outcome": "verify"}},
      "verify": {"nodeType": "PushResultVerifierNode", "displayName": "Verify", "connections": {
        "TRUE": "\(success)", "FALSE": "\(failure)", "EXPIRED": "\(failure)", "WAITING": "page"}}}}}
    """,
  ]
}
