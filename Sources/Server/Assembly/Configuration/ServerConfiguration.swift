public import Accounts
internal import Bytes
public import CoreMetrics
public import Foundation
public import JourneyEngine
public import JourneyFiles
public import JourneyNodes
public import JourneyStore
public import KeyAttestation
public import Logging
public import Operations
internal import Pages
public import PasswordHashing
internal import PasswordRules
public import PushService
public import PushTransports
public import SecurityEvents
public import ServerHTTP
public import Tracing
internal import WebAddresses

/// What a server needs to know before it starts.
public struct ServerConfiguration: Sendable {
  /// The address to listen on.
  public var host = "127.0.0.1"

  /// The port to listen on; 0 picks a free one.
  public var port = 8080

  /// Certificate and key for TLS, loaded again when the files change; `nil` speaks plain HTTP.
  public var tls: TLSFiles?

  /// Allows plain HTTP beyond this machine without a trusted proxy in front: others on the network can then read passwords and
  /// sessions.
  public var allowsInsecureHTTP = false

  /// The address under which clients reach the server, such as `https://id.example.com/am`: it goes into enrolment
  /// codes, and its host and origin are the WebAuthn relying party's. `nil` takes the host that each request names, and
  /// for WebAuthn `localhost` (`docs/webauthn.md`). With https, cookies are `Secure` and browsers are told to come by https
  /// only.
  public var publicURL: String?

  /// The server's path on its host, such as `/openam`. It does not change ``publicURL``, because a proxy may have another path.
  public var basePath = "/am"

  /// The addresses of single realms, by name, where they differ from ``publicURL``.
  public var realmURLs: [String: String] = [:]

  /// Which pages of other origins may use this server from a browser (CORS).
  public var crossOrigin = CrossOriginRules()

  /// The external OpenID providers by which people may sign in.
  public var identityProviders = IdentityProviders()

  /// Proxies whose `Forwarded` and `X-Forwarded-For`, `-Proto` and `-Host` are believed; those of all others are ignored.
  public var trustedProxies: [AddressBlock] = []

  /// Folder of the SQLite database and of `server.key`, created when absent; `nil` keeps everything in memory.
  public var dataDirectory: URL?

  /// The places of the server key, in the form of the option `--server-key` (`docs/keys.md`); empty for the data folder. There are several
  /// during a rotation, and the database says which key is in use.
  public var serverKeys: [String] = []

  /// Folder with `<realm>/*.journey.json`, and journeys in which each node has a file (`<realm>/journeys/NAME/`), loaded over the bundled
  /// journeys; a journey of the same name replaces one.
  public var journeysDirectory: URL?

  /// Whether a journey that does not load stops the start. Otherwise the server starts without it, and its name is unavailable.
  public var requiresAllJourneys = false

  /// Whether a journey that deviates from its file stops the start: one of its nodes fails when it is reached, or a value is replaced.
  /// Otherwise that is a warning.
  public var refusesJourneyDeviations = false

  /// How often clients are told of sign-outs.
  var logoutNoticeInterval = Duration.seconds(2)

  /// Node types beside those of the library, for tests of what nodes can do.
  var furtherNodes: [String: NodeRegistry.Maker] = [:]

  /// Which bundled journeys are offered in which realm.
  public var bundledJourneys = BundledJourneys.standard

  /// The database, when it is not in ``dataDirectory``: `sqlite:DIRECTORY`, `sqlite::memory:`, or
  /// `postgres://USER@HOST/DATABASE` with all options of libpq. With PostgreSQL the data folder holds the server's key,
  /// which all servers on one database share.
  public var database: String?

  /// How long a migration of PostgreSQL's tables may take at the start, by this server or by another one that it waits for. Seconds.
  public var migrationTimeout: TimeInterval = 600

  /// How many chains of the ledger this server writes to, from 1 to 63. More than 1 needs PostgreSQL, and servers of versions without this
  /// can no longer use the database.
  public var ledgerLanes = 1

  /// Seconds after which the ledger's entries lose their content (`docs/audit.md`, "Retention"); `nil` keeps it for good.
  public var ledgerRetention: Double?

  /// Where checkpoints of the ledger are published.
  public var checkpoints = CheckpointPublishing()

  /// The realms that exist. `root` is PingAM's top-level realm, whose administrators manage all realms; `alpha/branch` is a realm in `alpha`.
  public var realms = standardRealms

  package static let standardRealms = ["root", "alpha"]

  /// The longest time from a journey's start to its end. Seconds.
  public var journeyTimeout: TimeInterval = 300

  /// Seconds that the link to a suspended journey is accepted. PingAM's default.
  public var suspendedJourneyTimeout: TimeInterval = 300

  /// Whether journey files are loaded again when they change.
  public var watchesJourneys = false

  /// How many administrators must have seen a journey before an upload puts it live.
  public var journeyReview = JourneyReview.one

  /// A session ends when it has not been used this long. Seconds.
  public var sessionIdleTime: TimeInterval = 30 * 60

  /// A session ends this long after it began in any case. Seconds.
  public var sessionLifetime: TimeInterval = 120 * 60

  /// What one client, address, account or device can use (`docs/limits.md`).
  public var limits = ServerLimits()

  /// What a session must have proven to change an account's devices, recovery codes or password.
  public var factorChanges = FactorChangePolicy()

  /// The limits on pushes and guesses of one user.
  public var pushLimits = PushLimits.standard

  /// Ways to reach push devices beside the stream and polling, by the devices' `communicationType`.
  public var pushSenders: [String: any PushSender] = [:]

  /// How long requests under way may take when the server stops; what is not finished then is cut. Seconds.
  public var drainTime: TimeInterval = 8

  /// How long the server accepts connections after it was told to stop, while `/health/ready` says that it is not ready. Seconds.
  public var drainNotice: TimeInterval = 0

  /// Where metrics are read in Prometheus's text format: `/metrics` on a port of its own (`docs/metrics.md`); 0 picks a free one, `nil`
  /// offers none. Nobody signs in there.
  public var metricsPort: Int?

  /// The address of that port. Anyone who reaches it can read how busy the server is.
  public var metricsHost = "127.0.0.1"

  /// Receives the metrics in place of ``metricsPort``, for programs that embed the server.
  public var metricsFactory: (any MetricsFactory)?

  /// The collector of OpenTelemetry that traces go to, by OTLP over HTTP, such as `http://127.0.0.1:4318` (`docs/metrics.md`); `nil`
  /// makes none.
  public var traceEndpoint: String?

  /// The part of the traces begun at this server that is kept, from 0 to 1.
  public var traceRatio = 1.0

  /// Makes the spans in place of ``traceEndpoint``, for programs that embed the server.
  public var tracer: (any Tracer)?

  /// Name of the session cookie, and of the header that carries the same token. With `__Host-` or `__Secure-` at its beginning,
  /// clients have to come by https: ``tls`` or an https ``publicURL``.
  public var cookieName = "iPlanetDirectoryPro"

  /// Whether all cookies are `Secure`. Otherwise they are where https is known to be used: by ``tls``, an https ``publicURL``, or a trusted
  /// proxy's header.
  public var secureCookie = false

  /// Password of the administrator `amAdmin` when the first start creates the account; `nil` makes a random one.
  public var administratorPassword: Secret?

  /// The file of OpenID Connect clients (`docs/openid-connect.md`), read again when it changes; `nil` registers none.
  public var openIDClients: URL?

  /// How the scripts of journeys run. They do not run unless a program for it is named (`docs/scripts.md`).
  public var scripts = ScriptConfiguration()

  /// The outcomes of nodes that use other parties' services, for tests (`docs/beside-pingam.md`). Nodes without one here fail.
  public var simulation = ServiceSimulation()

  /// Allows ``simulation`` on a server that others can reach. Checks that would keep attackers out then let them in.
  public var allowsInsecureSimulation = false

  /// Which attestations of device keys are trusted: none, unless roots are given here (`docs/attestation.md`).
  public var attestation = AttestationVerifier.Configuration()

  /// Which attestations of WebAuthn authenticators are trusted (`docs/webauthn.md`).
  public var webAuthn = WebAuthnTrust()

  /// Where WebAuthn clients may run besides the server's own origin, such as `https://app.example.com` or
  /// `android:apk-key-hash:…`, for nodes that do not list `origins` themselves.
  public var webAuthnOrigins: [String] = []

  /// Through which push services messages reach devices, beside those that fetch them here: none, unless configured
  /// (`docs/push-delivery.md`).
  public var push = PushServicesConfiguration()

  /// The fewest characters of a new password, in code points, clamped to 8 to 64. 15 is the number of NIST SP 800-63B-4 §3.1.1 where the
  /// password is the only factor.
  public var passwordMinimum = 8

  /// The range of ``passwordMinimum``.
  public static let passwordMinimums = PasswordPolicy.minimumLengths

  /// Where security events are written (`docs/events.md`); `nil` takes `events.jsonl` beside the database, and none when
  /// everything is kept in memory.
  public var eventsFile: URL?

  /// Bytes at which the file of events is rotated.
  public var eventsFileSize = 64 << 20

  /// How many full files of events are kept.
  public var eventsFilesKept = 10

  /// Receives the events in place of a file, for programs that embed the server.
  public var eventSink: (any SecurityEventSink)?

  /// Which attributes identities have, and what people are asked (`docs/identities.md`).
  public var identities = IdentitySettings()

  /// How the sign-in page looks, and what it says (`docs/sign-in-page.md`).
  public var pageThemes = PageThemes()

  /// How mail is sent (`docs/mail.md`).
  public var mail = MailConfiguration()

  /// Observes journeys, for tools that test and show them.
  public var journeyObserver: (any JourneyObserver)?

  /// What hashing a password costs.
  public var passwordCost = Argon2Cost.standard

  /// The server's source of the time.
  public var clock: @Sendable () -> Date = { Date() }

  /// Returns that many bytes of a cryptographically secure source.
  public var randomBytes: @Sendable (Int) -> [UInt8] = SystemRandom.bytes

  public var logger = Logger(label: "sealring.server")

  public init() {}
}

extension ServerConfiguration {
  /// - Throws: ``ServerSetupError`` when passwords would go over the network in clear, and that was not allowed explicitly.
  func requireSafeTransport() throws(ServerSetupError) {
    let isLoopback = host.lowercased() == "localhost" || IPAddress(host)?.isLoopback == true
    guard !isLoopback, tls == nil, trustedProxies.isEmpty, !allowsInsecureHTTP else { return }
    throw ServerSetupError(
      "Plain HTTP on \(host) would let others on the network read passwords and sessions. Give --tls-certificate and "
        + "--tls-key, or --trusted-proxy for a proxy that speaks TLS; --insecure-http allows it all the same."
    )
  }

  /// - Throws: ``ServerSetupError`` when ``realms`` has an invalid name, or a realm whose parent realm is missing.
  func requireRealms() throws(ServerSetupError) {
    for realm in realms where realm != "root" {
      let fault = RealmName.fault(inPath: realm)
      guard fault == nil, RealmName.parent(of: realm).map({ realms.contains($0) || $0 == "root" }) == true
      else {
        throw ServerSetupError(
          "There cannot be a realm \(realm.bounded(to: 300).debugDescription): \(fault ?? "its parent realm does not exist.")"
        )
      }
    }
  }

  /// Whether other machines can reach the server, as far as it knows. It does not know of proxies on this machine that are not configured.
  var isReachableByOthers: Bool {
    !ServerRelyingParty.isLoopback(host) || StartupAdvice.isPublic(self) || !trustedProxies.isEmpty
      || realmURLs.values.contains { url in
        URLComponents(string: url)?.host.map(ServerRelyingParty.isLoopback) != true
      }
  }

  /// Whether only this machine reads the pages, as far as the configuration says.
  var isLocal: Bool { ServerRelyingParty.isLoopback(host) && !StartupAdvice.isPublic(self) }

  /// - Throws: ``ServerSetupError`` when others can reach a server with simulated services, and that was not allowed explicitly.
  func requireSafeSimulation() throws(ServerSetupError) {
    guard !simulation.isEmpty, isReachableByOthers, !allowsInsecureSimulation else { return }
    throw ServerSetupError(
      "\(simulation.summary) would be simulated (--simulate) on a server that others can reach: whoever these services would stop could sign in. "
        + "Leave it out, or listen on this machine only; --insecure-simulation allows it all the same.")
  }

  /// A requirement for single realms is not enough, because it does not cover realms that administrators create later.
  ///
  /// - Throws: ``ServerSetupError`` when others can reach the server, and no requirement for changes of factors was chosen.
  func requireChosenFactorChanges() throws(ServerSetupError) {
    guard isReachableByOthers, factorChanges.standard == nil else { return }
    throw ServerSetupError(
      """
      Others can reach this server, so say for all realms what a change of devices, codes or the password needs.
      --factor-changes strong: whoever has a device proves it just before.
      --factor-changes fresh: whoever asks has signed in just before.
      --factor-changes any: every session may change them, as in PingAM.
      """)
  }

  /// - Throws: ``ServerSetupError`` when ``factorChanges`` names a realm that does not exist: its requirement would have no effect.
  func requireFactorChangesOfKnownRealms(_ known: [String]) throws(ServerSetupError) {
    let keys = Set(known.map { RealmKey($0) })
    guard let unknown = factorChanges.realms.keys.sorted().first(where: { !keys.contains(RealmKey($0)) })
    else { return }
    throw ServerSetupError(
      "--factor-changes names realm \(unknown), which does not exist. The realms are \(known.joined(separator: ", "))."
    )
  }
}
