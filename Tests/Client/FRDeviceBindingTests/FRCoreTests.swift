import Concurrency
import DeviceKeys
import Foundation
import FRCore
import FRDeviceBinding
import SealringTesting
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// What an app's authenticator and its interceptors take from FRCore.
extension FRDeviceBindingTests {
  @Test func `a key pair by its user's name replaces the one before`() async throws {
    try device.start()
    let name = CryptoKey(keyId: "id=mira", accessGroup: "group")
    #expect(name.keyAlias == CryptoKey.getKeyAlias(keyName: "id=mira"))
    #expect(name.keyAlias == "\(Data(base64Encoded: name.keyAlias)?.base64EncodedString() ?? "")")
    #expect(name.getSecureKey() == nil)
    let first = try name.createKeyPair()
    let second = try name.createKeyPair(pin: "471108")
    #expect(first.publicKey != second.publicKey && second.keyAlias == name.keyAlias)
    let tags = await device.keyStore.keys().map(\.tag)
    #expect(tags == [name.keyAlias])
    #expect(name.getSecureKey() == nil && name.getSecureKey(pin: "999999") == nil)
    #expect(name.getSecureKey(pin: "471108", reason: "Pay")?.publicKey == second.publicKey)
    name.deleteKeys()
    name.deleteKeys()
    #expect(name.getSecureKey(pin: "471108") == nil)
  }

  @Test func `interceptors see each request with what it is for`() async throws {
    try await run { (server) async throws in
      let seen = Locked<[String]>([])
      FRRequestInterceptorRegistry.shared.registerInterceptors(interceptors: [
        Interceptor { request, action in
          seen.withLock {
            $0.append(
              "\(action.type) \(action.payload?["tree"] as? String ?? "-") \(request.method.rawValue)")
          }
          return request
        }
      ])
      defer { FRRequestInterceptorRegistry.shared.registerInterceptors(interceptors: nil) }
      _ = try await play(on: server, "BindDeviceNoPin", bind: { GuideProgram.bind($0, next: $1) })
      #expect(GuideProgram.unbindAll())
      let calls = seen.withLock { $0 }
      #expect(calls.first == "START_AUTHENTICATE BindDeviceNoPin POST")
      #expect(
        Set(calls.dropFirst()) == [
          "AUTHENTICATE BindDeviceNoPin POST", "DELETE_BINDING - POST", "DELETE_BINDING - DELETE",
        ])
    }
  }

  @Test func `an interceptor cannot send the session in the clear`() async throws {
    let seen = Locked<[String]>([])
    try device.start(answering: #"{"tokenId":"t*1","successUrl":"/","realm":"/alpha"}"#) { _ in }
    _ = await withCheckedContinuation { done in
      FRSession.authenticate(authIndexValue: "Login") { (token: Token?, _, _) in done.resume(returning: token)
      }
    }
    FRRequestInterceptorRegistry.shared.registerInterceptors(interceptors: [
      Interceptor { request, action in
        seen.withLock { $0.append(action.type) }
        return Request(
          url: request.url.replacing("https://", with: "http://"), method: request.method,
          headers: request.headers)
      }
    ])
    defer { FRRequestInterceptorRegistry.shared.registerInterceptors(interceptors: nil) }
    let key = UserKey(id: "t", userId: "id=mira", userName: "mira", kid: "k", authType: .none)
    do {
      try FRUserKeys().delete(userKey: key)
      Issue.record("it was deleted")
    } catch { #expect("\(error)".contains("InsecureAddressError"), "\(error) \(error.localizedDescription)") }
    #expect(seen.withLock { $0 } == ["DELETE_BINDING"])
  }

  @Test func `what an interceptor changes is sent and nothing else is`() throws {
    let registry = FRRequestInterceptorRegistry.shared
    var sent = URLRequest(url: try #require(URL(string: "https://am.example.com/am/json?a=1&b=%20")))
    sent.httpMethod = "POST"
    sent.setValue("application/json", forHTTPHeaderField: "Content-Type")
    sent.setValue("gone", forHTTPHeaderField: "X-Old")
    sent.httpBody = Data(#"{ "authId":"x" , "n": 1.0 }"#.utf8)
    defer { registry.registerInterceptors(interceptors: nil) }
    registry.registerInterceptors(interceptors: [Interceptor { request, _ in request }])
    #expect(registry.intercepted(sent, .AUTHENTICATE) == sent)
    #expect(registry.intercepted(sent, .AUTHENTICATE).httpBody == sent.httpBody)
    registry.registerInterceptors(
      interceptors: [
        Interceptor { request, action in
          var (query, headers, body) = (request.urlParams, request.headers, request.bodyParams)
          query["ForceAuth"] = "true & more"
          headers["X-Old"] = nil
          headers["X-New"] = action.type
          body["extra"] = true
          return Request(
            url: request.url, method: request.method, headers: headers, bodyParams: body, urlParams: query)
        }
      ], shouldOverride: false)
    let changed = registry.intercepted(sent, .LOGOUT)
    let query = try #require(
      changed.url.flatMap { URLComponents(url: $0, resolvingAgainstBaseURL: false) }?.queryItems)
    #expect(
      Dictionary(uniqueKeysWithValues: query.map { ($0.name, $0.value) }) == [
        "a": "1", "b": " ", "ForceAuth": "true & more",
      ])
    #expect(changed.value(forHTTPHeaderField: "X-New") == "LOGOUT")
    #expect(changed.value(forHTTPHeaderField: "X-Old") == nil)
    let body = try #require(
      try JSONSerialization.jsonObject(with: changed.httpBody ?? Data()) as? [String: Any])
    #expect(body["extra"] as? Bool == true && body["authId"] as? String == "x")
  }

  @Test func `a callback's inputs can be read and set by name`() async throws {
    let step = """
      {"authId":"a","stage":"s","header":"Pay","description":"Sign it","callbacks":[
       {"type":"NameCallback","output":[{"name":"prompt","value":"User Name"}],"input":[{"name":"IDToken1","value":""}],"_id":7}]}
      """
    let bodies = Locked<[String]>([])
    let node = try await node(of: step) { body in bodies.withLock { $0.append(body) } }
    #expect(node.pageHeader == "Pay" && node.pageDescription == "Sign it" && node.stage == "s")
    let name = try #require(node.callbacks.first as? NameCallback)
    #expect(name._id == 7 && name.inputNames == ["IDToken1"] && name.inputName == "IDToken1")
    #expect(name.prompt == "User Name" && name.type == "NameCallback")
    name.setValue("mira")
    #expect(name.inputValues["IDToken1"] as? String == "mira" && name.getValue() as? String == "mira")
    name.inputValues = ["IDToken1": "babs"]
    #expect(name.getValue() as? String == "babs")
    var response = name.buildResponse()
    response["extra"] = true
    name.response = response
    #expect(name.buildResponse()["extra"] as? Bool == true)
    await withCheckedContinuation { done in node.next { (_: Token?, _, _) in done.resume() } }
    #expect(bodies.withLock { $0.last }?.contains(#""extra":true"#) == true)
  }

  @Test func `a step with a callback that lacks what it needs was posted back`() async throws {
    let step = """
      {"authId":"a","callbacks":[{"type":"DeviceBindingCallback","output":[],"input":[{"name":"IDToken1jws","value":""}]}]}
      """
    await #expect(throws: AuthError.invalidCallbackResponse("Missing userId")) {
      try await node(of: step) { _ in }
    }
  }

  /// The first node of a journey whose server says `step` to everything.
  private func node(of step: String, sent: @escaping @Sendable (String) -> Void) async throws -> Node {
    try device.start(answering: step, sent: sent)
    return try await withCheckedThrowingContinuation { done in
      FRSession.authenticate(authIndexValue: "Login") { (_: Token?, node, error) in
        if let node {
          done.resume(returning: node)
        } else {
          done.resume(throwing: error ?? AuthError.invalidGenericType)
        }
      }
    }
  }
}

private struct Interceptor: RequestInterceptor {
  let change: @Sendable (Request, Action) -> Request

  init(_ change: @escaping @Sendable (Request, Action) -> Request) { self.change = change }

  func intercept(request: Request, action: Action) -> Request { change(request, action) }
}
