internal import JourneyNodes
internal import PushTransports

/// Calls identity providers. The caller decides which servers may be called, and no redirect leads to others.
struct ProviderHTTP: ProviderTransport {
  let client: OutgoingClient

  func send(_ request: ProviderRequest, limit: Int) async throws -> ProviderAnswer {
    do {
      let answer = try await client.send(
        request.method, request.url, headers: request.headers + [("User-Agent", "sealring")],
        body: request.body, bodyLimit: limit)
      return ProviderAnswer(status: answer.status, body: answer.body)
    } catch { throw ProviderUnreachable(reason: OutgoingClient.reason(error)) }
  }
}
