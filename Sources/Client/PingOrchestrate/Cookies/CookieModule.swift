internal import Foundation
internal import PingNetwork
internal import PingLogger
public import PingStorage

#if canImport(FoundationNetworking)
  internal import FoundationNetworking
#endif

extension SharedContext.Keys {
  /// The ``StorageDelegate`` of the cookies that are persisted.
  static let cookieStorage = "COOKIE_STORAGE"
}

/// Which cookies ``CookieModule`` keeps, and where.
// Mutable properties are guarded, the others are immutable.
public final class CookieConfig: @unchecked Sendable {
  /// The names of the cookies to keep after the process ends. The others live in memory.
  @Guarded public var persist: [String] = []

  /// The cookies that live in memory.
  @Guarded public private(set) var inMemoryStorage = InMemoryCookieStorage()

  /// The storage of the persisted cookies.
  @Guarded public var cookieStorage: StorageDelegate<[CustomHTTPCookie]>

  /// The clock that decides which cookies have expired.
  let now: @Sendable () -> Date

  /// Keeps cookies under the account `COOKIE_STORAGE`.
  public convenience init() { self.init(account: SharedContext.Keys.cookieStorage) }

  /// Keeps cookies under `account`.
  public convenience init(account: String) {
    self.init(
      storage: KeychainStorage<[CustomHTTPCookie]>(
        account: account, encryptor: DeviceEncryptor()),
      now: { Date() })
  }

  init(storage: StorageDelegate<[CustomHTTPCookie]>, now: @escaping @Sendable () -> Date) {
    cookieStorage = storage
    inMemoryStorage = InMemoryCookieStorage(now: now)
    self.now = now
  }

  /// The persisted cookies that have not expired.
  func persisted() async throws -> [HTTPCookie] {
    let stored = try await cookieStorage.get() ?? []
    return CookieMatching.merged([], with: stored.compactMap { $0.toHTTPCookie() }, now: now())
  }

  /// Replaces the persisted cookies with the result of `change`, in one step.
  func updatePersisted(_ change: @Sendable ([HTTPCookie]) -> [HTTPCookie]) async throws {
    try await cookieStorage.update { stored in
      let cookies = change((stored ?? []).compactMap { $0.toHTTPCookie() })
      stored = cookies.isEmpty ? nil : cookies.map(CustomHTTPCookie.init(from:))
    }
  }
}

/// Sends back the cookies that the server sets, by the rules of RFC 6265, and keeps the named ones between runs.
///
/// A storage that cannot be read or written makes the step fail: a device that loses its cookies silently would look
/// like a new one.
public class CookieModule {
  public init() {}

  /// The module to pass to ``WorkflowConfig/module(_:priority:mode:_:)``.
  public static let config: Module<CookieConfig> = Module.of({ CookieConfig() }) { setup in
    let config = setup.config
    let context = setup.context  // A handler that captured `setup` would keep the workflow alive for ever.
    setup.initialize {
      context.set(key: SharedContext.Keys.cookieStorage, value: config.cookieStorage)
    }
    let addPersisted: @Sendable (Request) async throws -> Request = { request in
      guard let url = request.urlRequest.url else { return request }
      request.cookies(
        cookies: CookieMatching.matching(try await config.persisted(), url, now: config.now()))
      return request
    }
    setup.start { try await addPersisted($1) }
    setup.next { _, _, request in
      if let url = request.urlRequest.url {
        request.cookies(cookies: await config.inMemoryStorage.cookies(for: url) ?? [])
      }
      return try await addPersisted(request)
    }
    setup.response { _, response in
      try await store(response.getCookies(), config)
    }
    setup.workflow.signOffHandlers.append(addPersisted)
    setup.signedOff { request, _ in
      guard let url = request.urlRequest.url else { return }
      let now = config.now()
      try await config.updatePersisted { $0.filter { !CookieMatching.matches($0, url, now: now) } }
      await config.inMemoryStorage.deleteCookies(url: url)
    }
    setup.nothingToSignOff {
      // Without a request there is no URL that selects cookies: a signed-off device keeps none.
      try await config.cookieStorage.delete()
      await config.inMemoryStorage.deleteAll()
    }
  }

  private static func store(_ cookies: [HTTPCookie], _ config: CookieConfig) async throws {
    let names = Set(config.persist)
    await config.inMemoryStorage.setCookies(
      cookies.filter { !names.contains($0.name) }, for: nil, mainDocumentURL: nil)
    let lasting = cookies.filter { names.contains($0.name) }
    guard !lasting.isEmpty else { return }
    let now = config.now()
    try await config.updatePersisted { CookieMatching.merged($0, with: lasting, now: now) }
  }
}

extension Workflow {
  /// Whether at least one cookie is persisted. Needs ``CookieModule``.
  public func hasCookies() async -> Bool {
    do {
      try await initialize()
      let storage =
        sharedContext.get(key: SharedContext.Keys.cookieStorage) as? StorageDelegate<[CustomHTTPCookie]>
      return try await storage?.get()?.isEmpty == false
    } catch {
      config.logger.w("The stored cookies could not be read", error: error)
      return false
    }
  }
}
