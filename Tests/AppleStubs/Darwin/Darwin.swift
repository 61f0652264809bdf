// What of the C library of Apple's systems our sources use where it differs from Glibc, as far as types go. Everything
// else is Glibc's: a difference that our sources do not know is not seen. See docs/apple.md.
public import Foundation
@_exported import Glibc

public var F_FULLFSYNC: Int32 { 51 }

@discardableResult
public func memset_s(
  _ __s: UnsafeMutableRawPointer!, _ __smax: Int, _ __c: Int32, _ __n: Int
) -> Int32 { 0 }

public struct __sigaction_u {
  // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
  public var __sa_handler: (@convention(c) (Int32) -> Void)!
}

extension sigaction {
  public var __sigaction_u: __sigaction_u {
    get { Darwin.__sigaction_u() }
    set {}
  }
}

extension URL {
  public static var applicationSupportDirectory: URL { URL(fileURLWithPath: "/") }
}
