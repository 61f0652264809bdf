import FRDeviceBinding
import Foundation

func around(userKey: UserKey) {
  // block
}
