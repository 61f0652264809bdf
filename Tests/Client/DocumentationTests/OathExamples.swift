// The example of PingOath's page. `DocumentationTests` compares the region with it.
import PingOath

func makeCode(enrolledWith uri: String) async throws {
  // snippet: code
  let client = try await OathClient.createClient()
  let credential = try await client.addCredentialFromUri(uri)

  let info = try await client.generateCodeWithValidity(credential.id)
  print("\(info.code), \(info.timeRemaining) s left")
  // end
}
