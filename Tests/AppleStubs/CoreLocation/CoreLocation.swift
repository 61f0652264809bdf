// What of Core Location our sources use, as far as types go. See docs/apple.md.
@_exported public import Foundation

public typealias CLLocationAccuracy = Double
public typealias CLLocationDegrees = Double

public let kCLLocationAccuracyHundredMeters: CLLocationAccuracy = 100

public enum CLAuthorizationStatus: Int32, Sendable {
  case notDetermined, restricted, denied, authorizedAlways, authorizedWhenInUse
}

public struct CLLocationCoordinate2D {
  public var latitude: CLLocationDegrees
  public var longitude: CLLocationDegrees
}

open class CLLocation: NSObject, @unchecked Sendable {
  open var coordinate: CLLocationCoordinate2D { CLLocationCoordinate2D(latitude: 0, longitude: 0) }
}

public protocol CLLocationManagerDelegate: AnyObject {
  func locationManager(_ manager: CLLocationManager, didChangeAuthorization status: CLAuthorizationStatus)
  func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation])
  func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error)
}

open class CLLocationManager: NSObject {
  public override init() {}
  open weak var delegate: (any CLLocationManagerDelegate)?
  open var desiredAccuracy: CLLocationAccuracy = 0
  open class func locationServicesEnabled() -> Bool { false }
  open class func authorizationStatus() -> CLAuthorizationStatus { .notDetermined }
  open func requestLocation() {}
  open func stopUpdatingLocation() {}
  open func requestWhenInUseAuthorization() {}
  open func requestAlwaysAuthorization() {}
}
